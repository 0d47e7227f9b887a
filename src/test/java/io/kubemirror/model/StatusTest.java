package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Status.Cause;
import io.kubemirror.model.Status.Details;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusTest {

    @ParameterizedTest
    @CsvSource({
        "410, Expired, true",
        "410, Gone, true",
        "410, '', true",
        "0, Expired, true",
        "0, Gone, true",
        "504, Timeout, false",
        "404, NotFound, false",
        "500, '', false",
    })
    void status_is_expired_by_code_410_or_reason(int code, String reason, boolean expired) {
        assertThat(new Status(code, reason, "", null).isExpired()).isEqualTo(expired);
    }

    /** Old servers name no cause. */
    @ParameterizedTest
    @CsvSource({
        "ResourceVersionTooLarge, '', true",
        "Other, '', false",
        "'', '', false",
        "'', 'Too large resource version: 9, current: 8', true",
        "'', 'Timeout: Too large resource version: 9', true"
    })
    void too_large_revision_is_recognized_by_its_cause_or_its_message(
            String cause, String message, boolean tooLarge) {
        List<Cause> causes = cause.isEmpty() ? List.of() : List.of(new Cause(cause, "", ""));
        Details details = new Details("", "", "", causes, 0);

        assertThat(new Status(504, "Timeout", message, details).isTooLargeRevision())
                .isEqualTo(tooLarge);
    }
}
