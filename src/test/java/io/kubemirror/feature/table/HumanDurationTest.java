package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import tools.jackson.databind.node.JsonNodeFactory;

/** Ages as kubectl shows them. */
class HumanDurationTest {

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/feature/table/durations.csv", quoteCharacter = '\'')
    void duration_is_formatted_like_kubectl(String duration, String shown) {
        assertThat(HumanDuration.of(Duration.parse(duration))).isEqualTo(shown);
    }

    @Test
    void missing_or_invalid_timestamp_has_unknown_age() {
        JsonNodeFactory json = JsonNodeFactory.instance;
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(HumanDuration.since(json.missingNode(), now)).isEqualTo("<unknown>");
        assertThat(HumanDuration.since(json.stringNode("yesterday"), now)).isEqualTo("<unknown>");
        assertThat(HumanDuration.since(json.stringNode("2025-12-31T23:58:00.5Z"), now))
                .isEqualTo("119s");
        assertThat(HumanDuration.since(json.stringNode("2026-01-01T00:59:00+01:00"), now))
                .isEqualTo("60s");
    }
}
