package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.Status;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusReaderTest {

    @Test
    void all_relevant_status_fields_are_read() {
        Status status =
                read(
                        """
                        {"kind":"Status","apiVersion":"v1","metadata":{"continue":"tok"},"status":"Failure",
                         "message":"m","reason":"Timeout","code":504,
                         "details":{"name":"n","group":"g","kind":"k","retryAfterSeconds":3,
                          "causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]}}
                        """,
                        500);

        Status.Cause cause =
                new Status.Cause("ResourceVersionTooLarge", "Too large resource version", "");
        assertThat(status)
                .isEqualTo(
                        new Status(
                                504,
                                "Timeout",
                                "m",
                                new Status.Details("n", "g", "k", List.of(cause), 3),
                                "tok"));
        assertThat(status.isTooLargeRevision()).isTrue();
    }

    @Test
    void status_without_a_kind_is_accepted() {
        String body =
                "{\"metadata\":{},\"status\":\"Failure\",\"reason\":\"Timeout\",\"code\":504}";

        assertThat(read(body, 504)).isEqualTo(new Status(504, "Timeout", "", null));
    }

    @Test
    void status_without_a_code_gets_the_response_code() {
        assertThat(read("{\"kind\":\"Status\",\"reason\":\"Gone\"}", 410).code()).isEqualTo(410);
    }

    @ParameterizedTest
    @CsvSource(
            value = {
                "'', 401, Unauthorized",
                "<html>, 404, NotFound",
                "{, 410, Gone",
                "7, 429, TooManyRequests",
                "[], 422, Invalid",
                "{}, 507, InternalError",
                "{\"kind\":\"Pod\"}, 503, ServiceUnavailable",
                "null, 302, ''",
            })
    void body_without_a_status_is_converted_to_one_by_response_code(
            String body, int code, String reason) {
        Status status = read(body, code);

        assertThat(status.code()).isEqualTo(code);
        assertThat(status.reason()).isEqualTo(reason);
        assertThat(status.message()).isEqualTo("the server returned an error without a Status");
    }

    @Test
    void http_at_a_port_for_https_is_named() {
        assertThat(read("Client sent an HTTP request to an HTTPS server.\n", 400).message())
                .isEqualTo("the port expects https instead of http in the URL");
    }

    private static Status read(String body, int code) {
        return StatusReader.read(UpstreamSamples.utf8(body), code);
    }
}
