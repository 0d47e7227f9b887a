package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ResourceDefinition;
import io.kubemirror.source.Source.ResourceDefinition.PrinterColumn;

import org.junit.jupiter.api.Test;

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
}
