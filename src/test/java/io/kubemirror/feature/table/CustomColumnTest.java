package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.TestFiles;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.JsonNode;

/** Columns of custom resources; the cells are those of a 1.36 server. */
class CustomColumnTest {

    private static final Instant NOW = Instant.parse("2026-11-22T03:04:05Z");
    private static final JsonNode OBJECT =
            JsonTrees.parse(TestFiles.text("feature/table/custom-object.json"));

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/table/custom-columns.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void cell_is_formatted_by_the_column_type(String type, String field, String cell) {
        PrinterColumn column = new PrinterColumn("c", type, "", "", 0, ".spec." + field);
        Object value = cell(column, OBJECT);
        assertThat(value == null ? "null" : GoJson.text(value)).isEqualTo(cell);
    }

    /** Pass-through then asks the API server, which may understand it. */
    @Test
    void path_that_is_not_understood_leaves_no_columns() {
        List<PrinterColumn> columns =
                Stream.of(".spec.str", ".spec[\"str\"]")
                        .map(path -> new PrinterColumn(path, "string", "", "", 0, path))
                        .toList();

        assertThat(CustomTableFormats.format(columns)).isEmpty();
    }

    private static @Nullable Object cell(PrinterColumn column, JsonNode object) {
        TableFormat format = CustomTableFormats.format(List.of(column)).orElseThrow();
        return format.cells(object, NOW).getLast();
    }

    @Test
    void definition_without_columns_uses_name_and_age() {
        TableFormat format = CustomTableFormats.format(List.of()).orElseThrow();
        assertThat(format.columns())
                .extracting(TableFormat.Column::name)
                .containsExactly("Name", "Age");
        assertThat(format.columns())
                .extracting(TableFormat.Column::type)
                .containsExactly("string", "date");
        assertThat(format.cells(OBJECT, NOW)).containsExactly("p", "6y326d");
    }
}
