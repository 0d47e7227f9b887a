package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GoStringTest {

    @Test
    void printable_text_is_quoted_as_it_is() {
        assertThat(GoString.quote("a 'b' \u00fc\u65e5\ud83d\ude00"))
                .isEqualTo("\"a 'b' \u00fc\u65e5\ud83d\ude00\"");
    }

    @Test
    void quotes_and_backslashes_are_escaped() {
        assertThat(GoString.quote("a\"b\\c")).isEqualTo("\"a\\\"b\\\\c\"");
    }

    @Test
    void control_characters_have_names_or_numbers() {
        assertThat(GoString.quote("\u0007\b\f\n\r\t\u000b\u0000\u007f"))
                .isEqualTo("\"\\a\\b\\f\\n\\r\\t\\v\\x00\\x7f\"");
    }

    @Test
    void what_cannot_be_seen_has_a_number() {
        assertThat(GoString.quote("\u00a0\u2028\ufeff\ue000\udb40\udc01"))
                .isEqualTo("\"\\u00a0\\u2028\\ufeff\\ue000\\U000e0001\"");
    }
}
