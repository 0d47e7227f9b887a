package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import module java.base;

import io.kubemirror.api.ApiClient;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The {@code timeout} parameter (list-watch.md#de-7). */
class RequestTimeoutTest {

    @ParameterizedTest
    @CsvSource({
        "32s,PT32S",
        "1.5s,PT1.5S",
        "1m,PT60S",
        "100ms,PT0.1S",
        ".5s,PT0.5S",
        "0.5s500ms,PT1S",
        "2us,PT0.000002S"
    })
    void timeout_is_parsed_like_a_go_duration(String text, Duration duration) throws Rejection {
        assertThat(of(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "0s", "-1s", "61s", "1h", "2540400h"})
    void timeout_outside_one_minute_is_replaced_by_one_minute(String text) throws Rejection {
        assertThat(of(text)).isEqualTo(Duration.ofSeconds(60));
    }

    @ParameterizedTest
    @CsvSource({
        "x,invalid duration \"x\"",
        "32,missing unit in duration \"32\"",
        "1x,unknown unit \"x\" in duration \"1x\"",
        "1h1,missing unit in duration \"1h1\"",
        ".s,invalid duration \".s\"",
        "0.0.1s,missing unit in duration \"0.0.1s\"",
        "-,invalid duration \"-\"",
        "99999999999h,invalid duration \"99999999999h\""
    })
    void invalid_timeout_is_rejected_with_the_go_message(String text, String why) {
        Rejection rejection = catchThrowableOfType(Rejection.class, () -> of(text));
        assertThat(
                        ApiClient.tree(new String(rejection.reply().body(), StandardCharsets.UTF_8))
                                .path("message")
                                .asString())
                .isEqualTo("invalid timeout specified in the request URL - time: " + why);
    }

    private static Duration of(String text) throws Rejection {
        return Query.parse("timeout=" + text).timeout();
    }
}
