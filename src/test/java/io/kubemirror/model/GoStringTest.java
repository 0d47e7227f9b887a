package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GoStringTest {

    @Test
    void printable_text_is_quoted_unchanged() {
        assertThat(GoString.quote("a 'b' \u00fc\u65e5\ud83d\ude00"))
                .isEqualTo("\"a 'b' \u00fc\u65e5\ud83d\ude00\"");
    }

    @Test
    void quotes_and_backslashes_are_escaped() {
        assertThat(GoString.quote("a\"b\\c")).isEqualTo("\"a\\\"b\\\\c\"");
    }

    @Test
    void control_characters_are_escaped_by_name_or_hex_code() {
        assertThat(GoString.quote("\u0007\b\f\n\r\t\u000b\u0000\u007f"))
                .isEqualTo("\"\\a\\b\\f\\n\\r\\t\\v\\x00\\x7f\"");
    }

    @Test
    void non_printable_characters_are_escaped_as_code_points() {
        assertThat(GoString.quote("\u0080\u00a0\u2028\ufeff\ue000\udb40\udc01"))
                .isEqualTo("\"\\u0080\\u00a0\\u2028\\ufeff\\ue000\\U000e0001\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "+7",
                "0000000000000000000000000000007",
                "9223372036854775807",
                "-9223372036854775808",
            })
    void decimal_64_bit_numbers_are_valid_and_can_be_parsed(String text) {
        assertThat(GoString.isInt64(text)).isTrue();
        assertThat(Long.parseLong(text)).isIn(0L, 7L, Long.MAX_VALUE, Long.MIN_VALUE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "+",
                "--1",
                "x",
                "1x",
                "1.0",
                "1_000",
                " 1",
                "\u0661",
                "9223372036854775808",
                "-9223372036854775809",
                "18446744073709551617",
                "99999999999999999999999999",
            })
    void other_text_is_no_64_bit_number(String text) {
        assertThat(GoString.isInt64(text)).isFalse();
    }
}
