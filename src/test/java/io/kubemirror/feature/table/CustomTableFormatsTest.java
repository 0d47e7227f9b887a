package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.http.GoJson;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.TestFiles;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.JsonNode;

/** Tests when the columns of custom resources are requested from the API server. */
class CustomTableFormatsTest {

    private long now;
    private int asked;
    private Result<ResourceDefinition> answer = declared("App");
    private final CustomTableFormats formats =
            new CustomTableFormats(
                    _ -> {
                        asked++;
                        return answer;
                    },
                    () -> now);

    @Test
    void columns_are_requested_once_and_again_after_a_minute() {
        assertThat(columns()).containsExactly("Name", "App");
        answer = declared("Owner");
        pass(Duration.ofSeconds(59));
        assertThat(columns()).containsExactly("Name", "App");
        assertThat(asked).isEqualTo(1);
        pass(Duration.ofSeconds(1).plusNanos(1));
        assertThat(columns()).containsExactly("Name", "Owner");
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void failed_column_request_yields_default_columns_and_is_retried() {
        answer = Result.failed(FakeForwardingApi.AWAY);
        assertThat(columns()).containsExactly("Name", "Created At");
        assertThat(columns()).containsExactly("Name", "Created At");
        assertThat(asked).isEqualTo(1);
        answer = declared("App");
        pass(Duration.ofMinutes(1).plusNanos(1));
        assertThat(columns()).containsExactly("Name", "App");
    }

    @Test
    void known_columns_survive_an_api_server_outage() {
        assertThat(columns()).containsExactly("Name", "App");
        answer = Result.failed(FakeForwardingApi.AWAY);
        pass(Duration.ofMinutes(1).plusNanos(1));
        assertThat(columns()).containsExactly("Name", "App");
        assertThat(asked).isEqualTo(2);
    }

    private List<String> columns() {
        return formats.of(ApiSamples.WIDGETS).orElseThrow().columns().stream()
                .map(TableFormat.Column::name)
                .toList();
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static Result<ResourceDefinition> declared(String name) {
        return Result.of(
                new ResourceDefinition(
                        List.of(new PrinterColumn(name, "string", "", "", 0, ".x")),
                        List.of(),
                        ""));
    }

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
