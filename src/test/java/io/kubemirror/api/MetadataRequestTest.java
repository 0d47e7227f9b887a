package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/**
 * Tests responses with metadata only, by request and because the mirror holds nothing else
 * (list-watch.md#tables).
 */
class MetadataRequestTest {

    private static final String ONE =
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    private static final String LIST =
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    private static final String POD =
            "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"x\",\"namespace\":\"a-b\",\"resourceVersion\":\"101\",\"labels\":{\"app\":\"v\"}}}";

    private static HttpResponse<String> get(ApiFixture served, String path, String accept) {
        return served.client().get(path, "User-Agent", "client", "Accept", accept);
    }

    /** Of mirrors that hold everything. */
    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class OfWholeObjects {

        private final ApiFixture served = ApiFixture.of("pods", "widgets.example.com");

        @BeforeAll
        void fill() {
            ApiSamples.fillWithGoldenPods(served.writer());
            served.writer(1).identify(ApiSamples.WIDGETS);
            ApiSamples.synchronize(served.writer(1), 7, ApiSamples.object("a", "w", 5));
        }

        @AfterAll
        void stop() {
            served.close();
        }

        @Test
        void metadata_list_contains_the_metadata_of_its_items() {
            assertThat(get(served, "/api/v1/pods?limit=1", LIST).body())
                    .startsWith(
                            "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"110\",\"continue\":\"")
                    .endsWith("\",\"remainingItemCount\":2},\"items\":[" + POD + "]}\n");
            assertThat(get(served, "/apis/example.com/v1/widgets", LIST).body())
                    .isEqualTo(
                            "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"w\",\"namespace\":\"a\",\"resourceVersion\":\"5\"}}]}\n");
        }

        @Test
        void single_object_is_served_as_metadata() {
            assertThat(get(served, "/api/v1/namespaces/a-b/pods/x", ONE).body())
                    .isEqualTo(POD + "\n");
            assertThat(get(served, "/api/v1/namespaces/a-b/pods/x", ONE + "beta1").body())
                    .isEqualTo(POD.replace("/v1", "/v1beta1") + "\n");
        }

        @ParameterizedTest
        @CsvSource({
            "/api/v1/pods, ONE, 'you requested PartialObjectMetadata, but the requested object is a"
                    + " list (*v1.PodList)'",
            "/api/v1/namespaces/a-b/pods/x, LIST, 'you requested PartialObjectMetadataList, but the"
                    + " requested object is not a list (*v1.Pod)'",
            "/apis/example.com/v1/widgets, ONE, 'you requested PartialObjectMetadata, but the"
                    + " requested object is a list (*unstructured.UnstructuredList)'",
        })
        void mismatched_metadata_kind_returns_406_without_trying_the_next_clause(
                String path, String form, String message) {
            String accept = (form.equals("ONE") ? ONE : LIST) + ",application/json";
            HttpResponse<String> answer = get(served, path, accept);
            assertThat(answer.statusCode()).isEqualTo(406);
            assertThat(answer.body())
                    .isEqualTo(
                            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\""
                                    + message
                                    + "\",\"reason\":\"NotAcceptable\",\"code\":406}\n");
        }

        @Test
        void missing_object_returns_404_before_406() {
            assertThat(get(served, "/api/v1/namespaces/a/pods/nope", LIST).statusCode())
                    .isEqualTo(404);
        }

        @Test
        void accept_clauses_are_tried_in_order() {
            String protobuf = LIST.replace("/json", "/vnd.kubernetes.protobuf");
            assertThat(get(served, "/api/v1/pods", protobuf + "," + LIST).body())
                    .startsWith("{\"kind\":\"PartialObjectMetadataList\"");
            assertThat(get(served, "/api/v1/pods", protobuf + ",application/json").body())
                    .startsWith("{\"kind\":\"PodList\"");
        }

        @Test
        void watch_that_accepts_only_metadata_lists_ends_without_events() {
            try (WatchClient watch =
                    served.client().watch("/api/v1/pods?watch=1", "Accept", LIST)) {
                assertThat(watch.code()).isEqualTo(200);
                watch.expectCleanEnd();
            }
        }

        @Test
        void expired_watch_sends_a_status_in_any_representation() {
            for (String accept : new String[] {ONE, LIST}) {
                try (WatchClient watch =
                        served.client()
                                .watch(
                                        "/api/v1/pods?watch=1&resourceVersion=1",
                                        "Accept",
                                        accept)) {
                    assertThat(watch.next())
                            .startsWith("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"");
                    watch.expectCleanEnd();
                }
            }
        }
    }

    @Test
    void watch_sends_metadata_in_all_events() {
        try (ApiFixture served = ApiFixture.golden();
                WatchClient watch =
                        served.client()
                                .watch(
                                        "/api/v1/pods?watch=1&allowWatchBookmarks=true&labelSelector=app%3Dv",
                                        "Accept", ONE)) {
            assertThat(watch.next()).isEqualTo(event("ADDED", POD));
            assertThat(watch.next())
                    .isEqualTo(event("ADDED", POD.replace("a-b", "a").replace("\"101", "\"103")));
            assertThat(watch.next())
                    .isEqualTo(
                            event(
                                    "BOOKMARK",
                                    "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"110\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}"));
            served.writer().upsert(ApiSamples.object("a-b", "x", 111, "v"));
            served.writer().upsert(ApiSamples.object("a-b", "x", 112, "w"));
            ApiSamples.delete(served.writer(), "a", "x", 113);
            assertThat(watch.next()).isEqualTo(event("MODIFIED", POD.replace("\"101", "\"111")));
            assertThat(watch.next()).isEqualTo(event("DELETED", POD.replace("\"101", "\"112")));
            assertThat(watch.next())
                    .isEqualTo(event("DELETED", POD.replace("a-b", "a").replace("\"101", "\"113")));
        }
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    /** Of mirrors that hold nothing else. */
    @Nested
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    class OfMetadataMirrors {

        private final ApiFixture served =
                ApiFixture.of(
                        new Scope(
                                ApiFixture.scope("pods", "").resource(),
                                ApiFixture.scope("pods", "").selection(),
                                Extent.METADATA));

        @BeforeAll
        void fill() {
            ApiSamples.fillWithGoldenPods(served.writer());
        }

        @AfterAll
        void stop() {
            served.close();
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "*/*",
                    "",
                    "application/*",
                    "application/json, */*;q=0.1",
                    LIST,
                    "application/json," + LIST
                })
        void metadata_only_mirror_serves_metadata_to_clients_that_accept_anything(String accept) {
            HttpResponse<String> answer = get(served, "/api/v1/pods", accept);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body())
                    .startsWith("{\"kind\":\"PartialObjectMetadataList\"")
                    .contains(POD);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"/api/v1/pods", "/api/v1/namespaces/a-b/pods/x", "/api/v1/pods?watch=1"})
        void metadata_only_mirror_returns_406_for_whole_objects_with_a_hint(String path) {
            HttpResponse<String> answer = get(served, path, "application/json");
            assertThat(answer.statusCode()).isEqualTo(406);
            assertThat(answer.body())
                    .contains("kubemirror mirrors only the metadata of pods")
                    .contains("kubemirror.resources[].metadata-only")
                    .contains("as=PartialObjectMetadata")
                    .contains("\"reason\":\"NotAcceptable\"");
        }

        @Test
        void metadata_only_mirror_serves_objects_and_watches() {
            assertThat(get(served, "/api/v1/namespaces/a-b/pods/x", "*/*").body())
                    .isEqualTo(POD + "\n");
            try (WatchClient watch =
                            served.client().watch("/api/v1/pods?watch=1", "Accept", "*/*");
                    WatchClient sent =
                            served.client()
                                    .watch("/api/v1/pods?watch=1", "Accept", "text/event-stream")) {
                assertThat(watch.next()).isEqualTo(event("ADDED", POD));
                assertThat(sent.next()).startsWith("retry: ");
                assertThat(sent.next()).isEmpty();
                assertThat(sent.next()).isEqualTo("event: ADDED");
                assertThat(sent.next()).isEqualTo("data: " + event("ADDED", POD));
            }
        }
    }

    @Test
    void mirror_of_whole_objects_takes_precedence_over_metadata_only_mirror() {
        Scope pods = ApiFixture.scope("pods", "");
        try (ApiFixture served =
                ApiFixture.of(
                        new Scope(pods.resource(), pods.selection(), Extent.METADATA),
                        ApiFixture.scope("pods", "a"))) {
            ApiSamples.fillWithGoldenPods(served.writer(0));
            ApiSamples.fillWithGoldenPods(served.writer(1));
            assertThat(get(served, "/api/v1/namespaces/a/pods", "*/*").body())
                    .startsWith("{\"kind\":\"PodList\"");
            assertThat(get(served, "/api/v1/namespaces/a-b/pods", "*/*").body())
                    .startsWith("{\"kind\":\"PartialObjectMetadataList\"");
        }
    }
}
