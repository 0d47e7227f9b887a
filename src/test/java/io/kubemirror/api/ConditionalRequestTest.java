package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that already has the current answer gets 304. */
class ConditionalRequestTest {

    private static final String PODS = "/api/v1/pods";
    private static final String POD = "/api/v1/namespaces/a/pods/x";

    @AutoClose private static final ApiFixture SERVED = ApiFixture.golden();

    private final RestClient client = SERVED.client();

    ConditionalRequestTest() {
        SERVED.restoreGolden();
    }

    @ParameterizedTest
    @ValueSource(strings = {PODS, POD, PODS + "?labelSelector=app%3Dv", PODS + "?limit=1"})
    void unchanged_content_returns_304(String path) {
        String tag = tag(path);
        assertThat(tag).matches("\"[-_A-Za-z0-9]+\"");
        for (String condition :
                new String[] {tag, "W/" + tag, "\"x\", " + tag, "\"x\",W/" + tag + ",\"y\""}) {
            RestResponse answer = client.get(path, "If-None-Match", condition);
            assertThat(answer.code()).isEqualTo(304);
            assertThat(answer.body()).isEmpty();
            assertThat(answer.header("ETag")).isEqualTo(tag);
            assertThat(answer.header("Cache-Control")).isEqualTo("no-cache, private");
            assertThat(answer.header("Content-Type")).isEmpty();
        }
    }

    @Test
    void list_etag_changes_with_the_revision_alone() {
        String before = tag(PODS);
        SERVED.writer().bookmark(KubeObjects.revision(120));
        assertThat(tag(PODS)).isNotEqualTo(before);
        assertThat(client.get(PODS, "If-None-Match", before).code()).isEqualTo(200);
    }

    @Test
    void object_etag_changes_only_with_the_object() {
        String before = tag(POD);
        SERVED.writer().upsert(ApiSamples.object("a", "y", 120, "z"));
        assertThat(tag(POD)).isEqualTo(before);
        SERVED.writer().upsert(ApiSamples.object("a", "x", 121, "z"));
        assertThat(tag(POD)).isNotEqualTo(before);
    }

    @Test
    void etag_differs_for_the_same_revision_after_a_reset() {
        String before = tag(PODS);
        SERVED.writer().bookmark(KubeObjects.revision(120));
        SERVED.restoreGolden();
        assertThat(client.get(PODS).json().at("/metadata/resourceVersion").asString())
                .isEqualTo("110");
        assertThat(tag(PODS)).isNotEqualTo(before);
    }

    @Test
    void every_representation_and_selection_has_its_own_etag() {
        Set<String> tags = new HashSet<>();
        String metadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
        assertThat(tags.add(tag(PODS))).isTrue();
        assertThat(tags.add(tag(PODS + "?pretty=true"))).isTrue();
        assertThat(tags.add(tag(PODS, "Accept", metadata))).isTrue();
        assertThat(tags.add(tag(PODS, "Accept", metadata + "beta1"))).isTrue();
        assertThat(tags.add(tag(PODS + "?limit=1"))).isTrue();
        assertThat(tags.add(tag(PODS + "?limit=2"))).isTrue();
        assertThat(tags.add(tag(PODS + "?labelSelector=app"))).isTrue();
        assertThat(tags.add(tag(PODS + "?fieldSelector=metadata.name%3Dx"))).isTrue();
        assertThat(tags.add(tag("/api/v1/namespaces/a/pods"))).isTrue();
        assertThat(tags.add(tag(POD))).isTrue();
        assertThat(tags.add(tag(POD + "?pretty=1"))).isTrue();
    }

    private String tag(String path, String... headers) {
        RestResponse answer = client.get(path, headers);
        assertThat(answer.code()).isEqualTo(200);
        return answer.header("ETag");
    }
}
