package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.source.Source.DefinitionApi.ResourceDefinition.PrinterColumn;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Columns of custom resources; the cells are those of a 1.36 server. */
class CustomColumnTest {

    private static final Instant NOW = Instant.parse("2026-11-22T03:04:05Z");
    private static final JsonNode OBJECT =
            new JsonMapper()
                    .readTree(
                            """
                            {"metadata":{"name":"p","creationTimestamp":"2026-11-22T03:00:05Z"},
                             "spec":{"null":null,"int":3,"float":3.7,"big":12345678901234567,
                               "bool":true,"map":{"a":1,"k":"v"},"str":"hello","list":["a","b"],
                               "date":"2020-01-02T03:04:05Z","none":""}}
                            """);

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/table/custom-columns.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void cell_is_formatted_by_the_column_type(String type, String field, String cell) {
        PrinterColumn column = new PrinterColumn("c", type, "", "", 0, ".spec." + field);
        Object value = TableFormats.custom(column).cell().of(OBJECT, NOW);
        assertThat(new JsonMapper().writeValueAsString(value)).isEqualTo(cell);
    }

    @Test
    void definition_without_columns_uses_name_and_age() {
        TableFormat format = TableFormats.ofCustom(List.of());
        assertThat(format.columns()).extracting(Column::name).containsExactly("Name", "Age");
        assertThat(format.columns()).extracting(Column::type).containsExactly("string", "date");
        assertThat(format.cells(OBJECT, NOW)).containsExactly("p", "4m");
    }
}
