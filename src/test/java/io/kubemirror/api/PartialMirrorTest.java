package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If only some namespaces are mirrored, requests outside them get errors, never empty lists
 * (list-watch.md#ca-7), and so do requests for whole objects if only metadata is
 * (list-watch.md#up-10).
 */
class PartialMirrorTest {

    @AutoClose
    private static final ApiFixture SERVED =
            ApiFixture.of(ApiFixture.scope("pods", "a"), ApiFixture.scope("pods", "b"));

    static {
        fill(SERVED.writer(0), "a", 110);
        fill(SERVED.writer(1), "b", 120);
    }

    private final RestClient client = SERVED.client();

    private static void fill(MirrorWriter writer, String namespace, long revision) {
        writer.identify(ApiSamples.PODS, DeclaredFields.NONE);
        ApiSamples.synchronize(writer, revision, ApiSamples.object(namespace, "x", 100));
    }

    @Test
    void each_namespace_is_served_from_its_own_mirror() {
        assertThat(client.get("/api/v1/namespaces/a/pods").body()).contains("\"110\"");
        assertThat(client.get("/api/v1/namespaces/b/pods").body()).contains("\"120\"");
        assertThat(client.get("/api/v1/namespaces/b/pods/x").code()).isEqualTo(200);
        assertThat(client.get("/api/v1/namespaces/b/pods/y").code()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/pods",
                "/api/v1/pods?watch=1",
                "/api/v1/namespaces/c/pods",
                "/api/v1/namespaces/c/pods?watch=1",
                "/api/v1/namespaces/c/pods/x"
            })
    void requests_outside_the_mirrored_namespaces_are_forbidden(String path) {
        RestResponse answer = client.get(path);
        assertThat(answer.code()).isEqualTo(403);
        assertThat(client.get(path).json().path("message").asString())
                .endsWith(
                        "is forbidden: kubemirror mirrors only pods/a, pods/b; request a part of"
                                + " it, or change the namespaces and selectors of pods in"
                                + " kubemirror.resources");
    }

    /** The client may read namespace c, and has no permission that would tell it of others. */
    @Test
    void requests_outside_the_mirrored_namespaces_do_not_name_these_with_authentication() {
        ScriptedAccess access = new ScriptedAccess().know("t");
        try (ApiFixture guarded =
                ApiFixture.of(
                        Map.of("access", access),
                        ApiFixture.scope("pods", "a"),
                        ApiFixture.scope("pods", "b"))) {
            fill(guarded.writer(0), "a", 110);

            RestResponse answer =
                    guarded.client().get("/api/v1/namespaces/c/pods", "Authorization", "Bearer t");

            assertThat(answer.code()).isEqualTo(403);
            assertThat(answer.body()).doesNotContain("pods/a", "namespaces/a");
        }
    }

    @Test
    void partially_mirrored_type_appears_once_in_discovery() {
        assertThat(client.get("/api/v1").json().path("resources")).hasSize(1);
    }

    private static Scope labeled(String selector) throws Rejection {
        return new Scope(
                new ResourceName("pods"),
                new Selection("", LabelSelectorParser.parse(selector), FieldSelector.everything()));
    }

    @Test
    void mirror_of_several_values_of_a_label_serves_each_of_them_and_all_together()
            throws Rejection {
        try (ApiFixture shards = ApiFixture.of(labeled("app in (v,w)"))) {
            shards.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
            ApiSamples.synchronize(
                    shards.writer(),
                    110,
                    ApiSamples.object("a", "x", 103, "v"),
                    ApiSamples.object("a", "y", 104, "w"));
            RestClient client = shards.client();
            String of = "/api/v1/pods?labelSelector=app";

            assertThat(client.get(of + "%3Dv").json().path("items")).hasSize(1);
            assertThat(client.get(of + "+in+(w)").json().path("items")).hasSize(1);
            assertThat(client.get(of + "+in+(w,v)").json().path("items")).hasSize(2);
            assertThat(client.get(of + "+in+(v,z)").code()).isEqualTo(403);
            try (WatchClient watch = shards.watch(of + "%3Dw&watch=1&resourceVersion=110")) {
                shards.writer().upsert(ApiSamples.object("a", "other", 111, "v"));
                shards.writer().upsert(ApiSamples.object("a", "next", 112, "w"));
                assertThat(watch.brief()).startsWith("ADDED").contains("next");
            }
        }
    }

    @Test
    void mirror_of_a_selection_serves_only_its_scope() throws Rejection {
        try (ApiFixture part = ApiFixture.of(labeled("app=v"))) {
            part.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
            ApiSamples.synchronize(part.writer(), 110, ApiSamples.object("a", "x", 103, "v"));
            RestClient client = part.client();
            assertThat(client.get("/api/v1/pods").code()).isEqualTo(403);
            assertThat(client.get("/api/v1/pods?labelSelector=app%3Dv").json().path("items"))
                    .hasSize(1);
            assertThat(client.get("/api/v1/pods?labelSelector=app%3Dv,b").json().path("items"))
                    .isEmpty();
            assertThat(client.get("/api/v1/namespaces/a/pods/x").code()).isEqualTo(200);
            assertThat(client.get("/api/v1/namespaces/a/pods/y").code()).isEqualTo(403);
            assertThat(client.get("/api/v1/namespaces/a/pods").json().path("message").asString())
                    .contains(
                            "mirrors only pods[app=v;]; request a part of it, or change the"
                                    + " namespaces and selectors of pods in kubemirror.resources");
        }
    }

    private static final String LIST =
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    private static final String POD =
            "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"x\",\"namespace\":\"a-b\",\"resourceVersion\":\"101\",\"labels\":{\"app\":\"v\"}}}";

    private static RestResponse get(ApiFixture served, String path, String accept) {
        return served.client().get(path, "User-Agent", "client", "Accept", accept);
    }

    private static String event(String type, String object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}";
    }

    @AutoClose private static final ApiFixture METADATA = ApiFixture.of(metadata());

    static {
        ApiSamples.fillWithGoldenPods(METADATA.writer());
    }

    private static Scope metadata() {
        Scope pods = ApiFixture.scope("pods", "");
        return new Scope(pods.resource(), pods.selection(), Extent.METADATA);
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
        RestResponse answer = get(METADATA, "/api/v1/pods", accept);
        assertThat(answer.code()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith("{\"kind\":\"PartialObjectMetadataList\"")
                .contains(POD);
    }

    /** Go reads kind and API version of the items of a list from JSON, not from protobuf. */
    @Test
    void items_have_no_type_for_a_client_that_prefers_protobuf() {
        String item = POD.replaceFirst("\"kind.*?v1\",", "");
        String protobuf = LIST.replace("json", "vnd.kubernetes.protobuf");
        RestResponse untyped = get(METADATA, PODS, protobuf + "," + LIST);

        assertThat(untyped.body())
                .startsWith("{\"kind\":\"PartialObjectMetadataList\"")
                .contains(item)
                .doesNotContain("\"PartialObjectMetadata\"");
        RestResponse typed = get(METADATA, PODS, LIST + "," + protobuf);
        assertThat(typed.body()).contains(POD);
        assertThat(typed.header("ETag")).isNotEqualTo(untyped.header("ETag"));
        assertThat(get(METADATA, PODS + "?watch=1&timeoutSeconds=1", METADATA_OF_ONE).body())
                .contains(POD);
    }

    private static final String PODS = "/api/v1/pods";
    private static final String METADATA_OF_ONE =
            "application/vnd.kubernetes.protobuf,application/json;as=PartialObjectMetadata"
                    + ";g=meta.k8s.io;v=v1";

    @ParameterizedTest
    @ValueSource(
            strings = {"/api/v1/pods", "/api/v1/namespaces/a-b/pods/x", "/api/v1/pods?watch=1"})
    void metadata_only_mirror_returns_406_for_whole_objects_with_a_hint(String path) {
        RestResponse answer = get(METADATA, path, "application/json");
        assertThat(answer.code()).isEqualTo(406);
        assertThat(answer.body())
                .contains("kubemirror mirrors only the metadata of pods")
                .contains("kubemirror.resources[].metadata-only")
                .contains("as=PartialObjectMetadata")
                .contains("\"reason\":\"NotAcceptable\"");
    }

    @Test
    void metadata_only_mirror_serves_objects_and_watches() {
        assertThat(get(METADATA, "/api/v1/namespaces/a-b/pods/x", "*/*").body())
                .isEqualTo(POD + "\n");
        try (WatchClient watch = METADATA.watch("/api/v1/pods?watch=1", "Accept", "*/*");
                WatchClient sent =
                        METADATA.watch("/api/v1/pods?watch=1", "Accept", "text/event-stream")) {
            assertThat(watch.next()).isEqualTo(event("ADDED", POD));
            assertThat(sent.next()).startsWith("retry: ");
            assertThat(sent.next()).isEmpty();
            assertThat(sent.next()).isEqualTo("event: ADDED");
            assertThat(sent.next()).isEqualTo("data: " + event("ADDED", POD));
        }
    }
}
