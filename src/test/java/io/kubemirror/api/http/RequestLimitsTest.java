package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests limits of a single request and their error messages. */
class RequestLimitsTest {

    @AutoClose
    private static final ApiFixture SERVED =
            ApiFixture.golden("--server.max-http-request-header-size=300KB");

    private final RestClient client = SERVED.client();

    @Test
    void selector_with_more_than_1000_values_is_rejected() {
        assertThat(list("labelSelector", requirements("l", 1_000)).code()).isEqualTo(200);

        assertRefused(
                list("labelSelector", requirements("l", 1_001)),
                "labelSelector has more than 1000 values");
        assertRefused(
                client.get("/api/v1/pods?watch=1&labelSelector=" + requirements("l", 1_001)),
                "labelSelector has more than 1000 values");
        assertRefused(
                list("fieldSelector", requirements("metadata.name!=", 1_001)),
                "fieldSelector has more than 1000 values");
        // Those of one requirement count as those of many, as a watch keeps each of them.
        String values = requirements("v", 999);
        assertThat(list("labelSelector", "a,b in (" + values + ")").code()).isEqualTo(200);
        for (String operator : List.of("in", "notin")) {
            assertRefused(
                    list("labelSelector", "a,b " + operator + " (" + values + ",w)"),
                    "labelSelector has more than 1000 values");
        }
    }

    private static String requirements(String prefix, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> prefix + i)
                .collect(Collectors.joining(","))
                .replace("!=", "%21%3D");
    }

    private RestResponse list(String parameter, String selector) {
        return client.get("/api/v1/pods?" + parameter + "=" + selector.replace(" ", "+"));
    }

    private static void assertRefused(RestResponse answer, String message) {
        assertThat(answer.code()).isEqualTo(400);
        assertThat(JsonTrees.parse(answer.body()).path("message").asString()).isEqualTo(message);
        assertThat(JsonTrees.parse(answer.body()).path("reason").asString())
                .isEqualTo("BadRequest");
    }
}
