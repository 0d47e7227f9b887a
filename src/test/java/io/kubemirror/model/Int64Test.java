package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Int64Test {

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
    void what_fits_is_valid_and_can_be_read(String text) {
        assertThat(Int64.isValid(text)).isTrue();
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
    void what_does_not_fit_is_not(String text) {
        assertThat(Int64.isValid(text)).isFalse();
    }
}
