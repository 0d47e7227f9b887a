package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/** Tests a mirror that holds nothing but metadata (list-watch.md#up-10). */
class MetadataRequestTest {

    private static final String LIST =
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    private static final String POD =
            "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"x\",\"namespace\":\"a-b\",\"resourceVersion\":\"101\",\"labels\":{\"app\":\"v\"}}}";

    private static HttpResponse<String> get(ApiFixture served, String path, String accept) {
        return served.client().get(path, "User-Agent", "client", "Accept", accept);
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    @AutoClose
    private static final ApiFixture SERVED =
            ApiFixture.of(
                    new Scope(
                            ApiFixture.scope("pods", "").resource(),
                            ApiFixture.scope("pods", "").selection(),
                            Extent.METADATA));

    static {
        ApiSamples.fillWithGoldenPods(SERVED.writer());
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
        HttpResponse<String> answer = get(SERVED, "/api/v1/pods", accept);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith("{\"kind\":\"PartialObjectMetadataList\"")
                .contains(POD);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/api/v1/pods", "/api/v1/namespaces/a-b/pods/x", "/api/v1/pods?watch=1"})
    void metadata_only_mirror_returns_406_for_whole_objects_with_a_hint(String path) {
        HttpResponse<String> answer = get(SERVED, path, "application/json");
        assertThat(answer.statusCode()).isEqualTo(406);
        assertThat(answer.body())
                .contains("kubemirror mirrors only the metadata of pods")
                .contains("kubemirror.resources[].metadata-only")
                .contains("as=PartialObjectMetadata")
                .contains("\"reason\":\"NotAcceptable\"");
    }

    @Test
    void metadata_only_mirror_serves_objects_and_watches() {
        assertThat(get(SERVED, "/api/v1/namespaces/a-b/pods/x", "*/*").body())
                .isEqualTo(POD + "\n");
        try (WatchClient watch = SERVED.client().watch("/api/v1/pods?watch=1", "Accept", "*/*");
                WatchClient sent =
                        SERVED.client()
                                .watch("/api/v1/pods?watch=1", "Accept", "text/event-stream")) {
            assertThat(watch.next()).isEqualTo(event("ADDED", POD));
            assertThat(sent.next()).startsWith("retry: ");
            assertThat(sent.next()).isEmpty();
            assertThat(sent.next()).isEqualTo("event: ADDED");
            assertThat(sent.next()).isEqualTo("data: " + event("ADDED", POD));
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
