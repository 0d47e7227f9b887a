package io.kubemirror.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.micrometer.core.instrument.Tags;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the metrics of client requests. */
class RequestMetersTest {

    private static final String METADATA =
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    private static final String TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";

    @AutoClose private static final ApiFixture SERVED = ApiFixture.golden();

    private final RestClient client = SERVED.client();

    @ParameterizedTest
    @CsvSource({
        "/api/v1/pods, application/json, list, pods, 200, json",
        "/api/v1/pods, " + METADATA + ", list, pods, 200, metadata",
        "/api/v1/pods, " + TABLE + ", list, pods, 200, table",
        "/api/v1/pods?limit=x, application/json, list, pods, 400, json",
        "/api/v1/pods, application/pdf, list, pods, 406, ''",
        "/api/v1/namespaces/a/pods/nobody, application/json, get, pods, 404, json",
        "/api/v1/pods?watch=1&resourceVersion=x, application/json, watch, pods, 400, json",
        "/api/v1/secrets, application/json, list, '', 404, ''",
        "/apis/no.such/v1/things/named-by-a-client, application/json, get, '', 404, ''",
        "/api, application/json, get, '', 200, ''",
    })
    void request_is_counted_by_verb_resource_code_and_representation(
            String path,
            String accept,
            String verb,
            String resource,
            String code,
            String representation) {
        Tags asked = Tags.of("verb", verb, "resource", resource);
        long timed = SERVED.timed("kubemirror.request.duration", asked);

        expectOneMore(
                "kubemirror.requests",
                asked.and("code", code).and("representation", representation),
                () -> client.get(path, "Accept", accept));

        assertThat(SERVED.timed("kubemirror.request.duration", asked)).isEqualTo(timed + 1);
    }

    @Test
    void watch_is_counted_when_it_starts_and_timed_when_it_ends() {
        long ended = SERVED.timed("kubemirror.watch.duration", Tags.empty());
        Tags requests = Tags.of("verb", "watch", "code", "200", "representation", "json");
        double answered = SERVED.count("kubemirror.requests", requests);
        expectOneMore(
                "kubemirror.watches.ended",
                Tags.of("reason", "closed"),
                () -> {
                    try (WatchClient watch = SERVED.watch("/api/v1/pods?watch=1")) {
                        assertThat(watch.code()).isEqualTo(200);
                        awaitCount("kubemirror.requests", requests, answered + 1);
                        assertThat(SERVED.timed("kubemirror.watch.duration", Tags.empty()))
                                .isEqualTo(ended);
                    }
                });
        assertThat(SERVED.timed("kubemirror.watch.duration", Tags.empty())).isEqualTo(ended + 1);
        assertThat(SERVED.count("kubemirror.requests", requests)).isEqualTo(answered + 1);
    }

    @ParameterizedTest
    @CsvSource({"timeoutSeconds=1, timeout", "resourceVersion=1, expired"})
    void watch_is_counted_with_the_reason_of_its_end(String option, String reason) {
        expectOneMore(
                "kubemirror.watches.ended",
                Tags.of("reason", reason),
                () -> client.get("/api/v1/pods?watch=1&" + option));
    }

    /** A list whose client does not read holds its state for the time of the request. */
    @Test
    void list_that_its_client_does_not_read_ends_with_the_time_of_the_request() {
        for (int revision = 1_001; revision < 1_201; revision++) {
            String name = "p" + revision + "-" + "p".repeat(100_000);
            SERVED.writer().upsert(ApiSamples.object("b", name, revision));
        }
        Tags lists = Tags.of("verb", "list");
        double before = SERVED.count("kubemirror.requests", lists);
        try (WatchClient stalled =
                WatchClient.openStalled(
                        SERVED.port(), "/api/v1/pods?resourceVersion=0&timeout=1s")) {
            assertThat(stalled.code()).isEqualTo(200);
            awaitCount("kubemirror.requests", lists, before + 1);
        }
    }

    private static void expectOneMore(String name, Tags tags, Runnable request) {
        double before = SERVED.count(name, tags);
        request.run();
        awaitCount(name, tags, before + 1);
    }

    private static void awaitCount(String name, Tags tags, double count) {
        // The answer has arrived before it is counted.
        WaitLimit.until(() -> SERVED.count(name, tags) >= count);
        assertThat(SERVED.count(name, tags)).isEqualTo(count);
    }
}
