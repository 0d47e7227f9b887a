package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiSamples;
import io.kubemirror.model.Status;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;

/** Errors are written byte for byte as the API server writes them (list-watch.md#errors). */
class GoJsonTest {

    @Test
    void a_missing_object_is_named_with_its_resource() {
        assertThat(json(StatusErrors.notFound(ApiSamples.DEPLOYMENTS, "x")))
                .isEqualTo(
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"deployments.apps"
                            + " \\\"x\\\" not"
                            + " found\",\"reason\":\"NotFound\",\"details\":{\"name\":\"x\",\"group\":\"apps\",\"kind\":\"deployments\"},\"code\":404}");
    }

    @Test
    void empty_details_are_there_and_missing_ones_are_not() {
        assertThat(json(StatusErrors.noSuchResource())).contains("\"details\":{},");
        assertThat(json(StatusErrors.badRequest("x"))).doesNotContain("details");
    }

    @Test
    void what_html_and_javascript_would_read_is_escaped_as_go_escapes_it() {
        assertThat(json(StatusErrors.badRequest("<a>&'\u2028\u001b\n\"\\\u00e4")))
                .contains("\"message\":\"\\u003ca\\u003e\\u0026'\\u2028\\u001b\\n\\\"\\\\\u00e4\"");
    }

    private static String json(Status status) {
        return new String(GoJson.status(status), StandardCharsets.UTF_8);
    }
}
