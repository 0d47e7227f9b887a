package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.source.Source.DefinitionApi.ResourceDefinition.PrinterColumn;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Instant;
import java.util.List;

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
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "string | null | \"<no value>\"",
                "string | int | \"3\"",
                "string | float | \"3.7\"",
                "string | big | \"12345678901234567\"",
                "string | bool | \"true\"",
                "string | map | \"{\\\"a\\\":1,\\\"k\\\":\\\"v\\\"}\"",
                "string | list | \"[\\\"a\\\",\\\"b\\\"]\"",
                "string | str | \"hello\"",
                "string | none | \"\"",
                "string | missing | null",
                "integer | int | 3",
                "integer | float | 3",
                "integer | big | 12345678901234567",
                "integer | str | null",
                "integer | null | null",
                "number | int | 3",
                "number | float | 3.7",
                "number | str | null",
                "boolean | bool | true",
                "boolean | str | null",
                "date | date | \"6y326d\"",
                "date | str | \"<invalid>\"",
                "date | int | null",
                "object | map | null",
            })
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
