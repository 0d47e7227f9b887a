package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.feature.table.CellText.HumanDuration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.JsonNodeFactory;

/** Ages as kubectl shows them. */
class HumanDurationTest {

    @ParameterizedTest
    @CsvSource({
        "PT-2S, <invalid>",
        "PT-1.9S, 0s",
        "PT0S, 0s",
        "PT1.9S, 1s",
        "PT119S, 119s",
        "PT120S, 2m",
        "PT121S, 2m1s",
        "PT9M59S, 9m59s",
        "PT10M59S, 10m",
        "PT179M59S, 179m",
        "PT3H, 3h",
        "PT3H1M, 3h1m",
        "PT7H59M59S, 7h59m",
        "PT8H59M, 8h",
        "PT47H59M, 47h",
        "PT48H, 2d",
        "PT49H, 2d1h",
        "PT191H, 7d23h",
        "PT192H, 8d",
        "P729D, 729d",
        "P730D, 2y",
        "P731D, 2y1d",
        "P2919D, 7y364d",
        "P2920D, 8y",
        "P200000000000D, 547945205y",
        "-P200000000000D, <invalid>",
    })
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
