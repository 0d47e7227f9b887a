package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.TableCase;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the columns of built-in types. */
class TableFileTest {

    private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");

    @Test
    void other_types_have_no_built_in_columns() {
        assertThat(TableFile.of("roles.rbac.authorization.k8s.io")).isEmpty();
        assertThat(TableFile.of("horizontalpodautoscalers.autoscaling")).isEmpty();
        assertThat(TableFile.of("pods.example.com")).isEmpty();
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/table/built-in-cells.csv",
            delimiter = '|',
            quoteCharacter = '~')
    void object_has_the_cells_of_an_api_server(String resource, String object, String cells) {
        assertThat(
                        cells(
                                TableFile.of(resource).orElseThrow(),
                                JsonTrees.parse(object.replace('\'', '"'))))
                .hasToString(cells);
    }

    /** A whole API server shows the same: TableParityTest compares it. */
    @ParameterizedTest
    @MethodSource("io.kubemirror.testing.TableCase#all")
    void cells_are_those_of_api_server(TableCase one) {
        assertThat(cells(TableFile.of(one.type().groupResource()).orElseThrow(), one.object()))
                .hasToString(one.cells());
    }

    private static List<JsonNode> cells(TableFormat format, JsonNode object) {
        JsonNode cells = new JsonMapper().valueToTree(format.cells(object, NOW));
        return cells.valueStream().toList();
    }
}
