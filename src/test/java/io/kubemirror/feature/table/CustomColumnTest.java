package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.JsonNode;

/** Columns of custom resources; the cells are those of a 1.36 server. */
class CustomColumnTest {

    private static final Instant NOW = Instant.parse("2026-11-22T03:04:05Z");
    private static final JsonNode OBJECT =
            GoJson.tree(resource("/io/kubemirror/feature/table/custom-object.json"));

    private static byte[] resource(String name) {
        try (InputStream file = CustomColumnTest.class.getResourceAsStream(name)) {
            return Objects.requireNonNull(file).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/table/custom-columns.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void cell_is_formatted_by_the_column_type(String type, String field, String cell) {
        PrinterColumn column = new PrinterColumn("c", type, "", "", 0, ".spec." + field);
        Object value = TableFormats.custom(column).orElseThrow().cell().of(OBJECT, NOW);
        assertThat(value == null ? "null" : GoJson.text(value)).isEqualTo(cell);
    }

    /** As in the API server, which stops to read the definition there. */
    @Test
    void invalid_path_ends_the_columns() {
        Stream<PrinterColumn> columns =
                Stream.of(".spec.str", ".spec[\"str\"]", ".spec.str")
                        .map(path -> new PrinterColumn(path, "string", "", "", 0, path));

        assertThat(TableFormats.ofCustom(columns.toList()).cells(OBJECT, NOW))
                .containsExactly("p", "hello");
    }

    @Test
    void value_of_any_depth_is_printed() {
        String deep = "[".repeat(9_000) + "]".repeat(9_000);
        JsonNode object = GoJson.tree(("{\"spec\":" + deep + "}").getBytes(StandardCharsets.UTF_8));

        assertThat(cell(".spec", object)).isEqualTo(deep);
        assertThat(cell("..missing", object)).isNull();
    }

    private static @Nullable Object cell(String path, JsonNode object) {
        PrinterColumn column = new PrinterColumn("c", "string", "", "", 0, path);
        return TableFormats.custom(column).orElseThrow().cell().of(object, NOW);
    }

    @Test
    void definition_without_columns_uses_name_and_age() {
        TableFormat format = TableFormats.ofCustom(List.of());
        assertThat(format.columns()).extracting(Column::name).containsExactly("Name", "Age");
        assertThat(format.columns()).extracting(Column::type).containsExactly("string", "date");
        assertThat(format.cells(OBJECT, NOW)).containsExactly("p", "6y326d");
    }
}
