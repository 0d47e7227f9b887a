package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.DiscoveryEndpoints;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

/**
 * Tests the documents of an API server to which types are added that only kubemirror serves
 * (list-watch.md#di-16).
 */
class DiscoveryMergeTest {

    private static final ResourceType POLICIES =
            ApiSamples.type("projectcalico.org", "v3", "NetworkPolicy", "networkpolicies");

    private static final ResourceType SCALES =
            new ResourceType("apps", "v3", "Scale", "scales", "", true, List.of(), List.of());

    private static final ResourceType NOTES = ApiSamples.type("", "v1", "Note", "notes");

    private static final String APPS =
            """
            {"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],\
            "preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}\
            """;

    private final FakeForwardingApi server = new FakeForwardingApi();

    @Test
    void nothing_is_added_that_the_api_server_discovers() {
        DiscoveryEndpoints discovery = mirroring(ApiSamples.PODS, ApiSamples.DEPLOYMENTS);

        assertThat(discovery.hasFurther()).isFalse();
        assertThat(merged(discovery, "/apis", "{\"kind\":\"APIGroupList\",\"groups\":[]}"))
                .isEmpty();
        assertThat(merged(discovery, "/api/v1", resources("v1"))).isEmpty();
    }

    @Test
    void type_that_both_serve_stays_as_the_api_server_describes_it() {
        server.stored = Set.of(ApiSamples.DEPLOYMENTS);
        DiscoveryEndpoints discovery = mirroring(ApiSamples.DEPLOYMENTS);
        String deployments = "{\"name\":\"deployments\",\"verbs\":[\"create\",\"delete\"]}";

        assertThat(discovery.hasFurther()).isTrue();
        assertThat(merged(discovery, "/apis/apps/v1", resources("apps/v1", deployments))).isEmpty();
        assertThat(merged(discovery, "/apis/apps", APPS)).isEmpty();
        assertThat(merged(discovery, "/apis", "{\"groups\":[" + APPS + "]}")).isEmpty();
    }

    @Test
    void group_list_gets_groups_and_versions_and_keeps_the_preferred_version() {
        JsonNode groups =
                mergedTree("/apis", "{\"kind\":\"APIGroupList\",\"groups\":[" + APPS + "]}");

        assertThat(groups.at("/groups").size()).isEqualTo(2);
        assertThat(groups.at("/groups/0/versions/0/version").asString()).isEqualTo("v1");
        assertThat(groups.at("/groups/0/versions/1/groupVersion").asString()).isEqualTo("apps/v3");
        assertThat(groups.at("/groups/0/preferredVersion/version").asString()).isEqualTo("v1");
        assertThat(groups.at("/groups/1/name").asString()).isEqualTo("projectcalico.org");
        assertThat(mergedTree("/apis/apps", APPS).at("/versions").size()).isEqualTo(2);
    }

    @Test
    void resource_list_gets_resources_and_keeps_verbs_and_subresources() {
        String status = "{\"name\":\"pods/status\",\"verbs\":[\"patch\"]}";
        JsonNode core = mergedTree("/api/v1", resources("v1", status));

        assertThat(core.at("/resources/0/name").asString()).isEqualTo("pods/status");
        assertThat(core.at("/resources/0/verbs/0").asString()).isEqualTo("patch");
        assertThat(core.at("/resources/1/name").asString()).isEqualTo("notes");
        assertThat(core.at("/resources/1/verbs").toString())
                .isEqualTo("[\"get\",\"list\",\"watch\"]");
        assertThat(core.at("/resources").size()).isEqualTo(2);
    }

    @Test
    void document_that_the_api_server_does_not_have_is_served() {
        String path = "/apis/projectcalico.org/v3";

        assertThat(merged(mirroring(all()), path, null))
                .hasValueSatisfying(text -> assertThat(text).contains("\"networkpolicies\""));
        assertThat(merged(mirroring(all()), "/apis/projectcalico.org", null))
                .hasValueSatisfying(text -> assertThat(text).contains("\"APIGroup\""));
        assertThat(merged(mirroring(all()), "/apis/none.example.com", null)).isEmpty();
        assertThat(merged(mirroring(all()), "/apis/none.example.com/v1", null)).isEmpty();
    }

    @Test
    void aggregated_documents_get_groups_versions_and_resources() {
        String core =
                """
                {"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2",\
                "metadata":{},"items":[{"metadata":{"creationTimestamp":null},"versions":[{\
                "version":"v1","resources":[{"resource":"pods","subresources":[{\
                "subresource":"status"}]}],"freshness":"Current"}]}]}\
                """;
        JsonNode merged = mergedTree("/api", core);

        assertThat(merged.at("/items").size()).isEqualTo(1);
        assertThat(merged.at("/items/0/versions").size()).isEqualTo(1);
        assertThat(merged.at("/items/0/versions/0/resources/0/subresources").size()).isEqualTo(1);
        assertThat(merged.at("/items/0/versions/0/resources/1/resource").asString())
                .isEqualTo("notes");

        String stale =
                """
                {"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"apps"},"versions":[{\
                "version":"v3","resources":null,"freshness":"Stale"}]}]}\
                """;
        JsonNode named = mergedTree("/apis", stale);
        assertThat(named.at("/items/0/versions/0/resources/0/resource").asString())
                .isEqualTo("scales");
        assertThat(named.at("/items/0/versions/0/freshness").asString()).isEqualTo("Stale");
        assertThat(named.at("/items/1/metadata/name").asString()).isEqualTo("projectcalico.org");
    }

    private static String resources(String groupVersion, String... resources) {
        return "{\"kind\":\"APIResourceList\",\"groupVersion\":\"%s\",\"resources\":[%s]}"
                .formatted(groupVersion, String.join(",", resources));
    }

    private JsonNode mergedTree(String path, String document) {
        return ApiClient.tree(merged(mirroring(all()), path, document).orElseThrow());
    }

    /** Only pods are discovered. */
    private ResourceType[] all() {
        server.stored = Set.of(POLICIES, SCALES, NOTES);
        return new ResourceType[] {ApiSamples.PODS, POLICIES, SCALES, NOTES};
    }

    private static Optional<String> merged(
            DiscoveryEndpoints discovery, String path, @Nullable String document) {
        return discovery
                .merged(
                        (RequestPath.Discovery) RequestPath.parse(Optional.of(path)),
                        Optional.ofNullable(document)
                                .map(text -> text.getBytes(StandardCharsets.UTF_8)))
                .map(json -> new String(json, StandardCharsets.UTF_8));
    }

    private DiscoveryEndpoints mirroring(ResourceType... types) {
        MirrorSet mirrors =
                MirrorSets.of(Stream.of(types).map(DiscoveryMergeTest::mirror).toList());
        return new DiscoveryEndpoints(
                new MirrorDirectory(mirrors, () -> 0, () -> true),
                type -> !server.stored.contains(type));
    }

    private static Mirror mirror(ResourceType type) {
        Mirror mirror = Mirrors.of(ApiFixture.scope(type.plural(), ""), Mirrors.window());
        Mirrors.writer(mirror, System::nanoTime).identify(type, DeclaredFields.NONE);
        return mirror;
    }
}
