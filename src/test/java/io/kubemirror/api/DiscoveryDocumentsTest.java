package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;

/** Discovery of what is mirrored (list-watch.md#discovery). */
class DiscoveryDocumentsTest {

    private static final String[] AGGREGATED = {
        "Accept",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    };

    private static final ApiFixture SERVED =
            ApiFixture.of("pods", "deployments.apps", "widgets.example.com", "jobs.batch");

    static {
        SERVED.writer(0).identify(ApiSamples.PODS);
        SERVED.writer(1).identify(ApiSamples.DEPLOYMENTS);
        SERVED.writer(2).identify(ApiSamples.WIDGETS);
    }

    private final ApiClient client = SERVED.client();

    @AfterAll
    static void stop() {
        SERVED.close();
    }

    @Test
    void di_1_core_group_lists_its_version() {
        JsonNode versions = client.json("/api?timeout=32s");
        assertThat(versions.path("kind").asString()).isEqualTo("APIVersions");
        assertThat(versions.has("apiVersion")).isFalse();
        assertThat(versions.at("/versions/0").asString()).isEqualTo("v1");
        assertThat(versions.at("/serverAddressByClientCIDRs/0/serverAddress").asString())
                .isEqualTo("127.0.0.1:" + SERVED.port());
    }

    @Test
    void di_2_group_list_contains_groups_of_mirrored_types() {
        assertThat(client.get("/apis").body())
                .isEqualTo(
                        "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[{\"name\":\"apps\",\"versions\":[{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}},{\"name\":\"example.com\",\"versions\":[{\"groupVersion\":\"example.com/v1\",\"version\":\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"example.com/v1\",\"version\":\"v1\"}}]}\n");
    }

    @Test
    void di_3_each_group_has_its_own_document() {
        assertThat(client.get("/apis/apps").body())
                .isEqualTo(
                        "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"apps\",\"versions\":[{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}}\n");
    }

    @Test
    void di_4_and_di_5_resources_are_like_api_server_with_read_verbs_only() {
        assertThat(client.get("/apis/apps/v1").body())
                .isEqualTo(
                        "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"apps/v1\",\"resources\":[{\"name\":\"deployments\",\"singularName\":\"deployment\",\"namespaced\":true,\"kind\":\"Deployment\",\"verbs\":[\"get\",\"list\",\"watch\"],\"shortNames\":[\"deploy\"],\"categories\":[\"all\"]}]}\n");
        assertThat(client.json("/api/v1").at("/resources/0/name").asString()).isEqualTo("pods");
    }

    @Test
    void di_6_and_di_8_aggregated_discovery_uses_two_documents() {
        for (String path : new String[] {"/api", "/apis"}) {
            HttpResponse<String> answer = client.get(path, AGGREGATED);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .contains(
                            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
        }
        assertThat(client.get("/api", AGGREGATED).body())
                .isEqualTo(
                        "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"metadata\":{},\"items\":[{\"metadata\":{},\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":\"pods\",\"responseKind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"scope\":\"Namespaced\",\"singularResource\":\"pod\",\"verbs\":[\"get\",\"list\",\"watch\"],\"shortNames\":[\"po\"],\"categories\":[\"all\"]}],\"freshness\":\"Current\"}]}]}\n");
        JsonNode groups = client.json("/apis", AGGREGATED);
        assertThat(groups.at("/items/0/metadata/name").asString()).isEqualTo("apps");
        assertThat(groups.at("/items/1/metadata/name").asString()).isEqualTo("example.com");
    }

    @Test
    void unresolved_type_is_omitted_from_discovery() {
        assertThat(client.get("/apis/batch").statusCode()).isEqualTo(404);
        assertThat(client.get("/apis", AGGREGATED).body()).doesNotContain("batch");
    }

    @Test
    void core_group_exists_without_mirrored_core_types() {
        try (ApiFixture others = ApiFixture.of("widgets.example.com")) {
            assertThat(others.client().json("/api/v1").path("resources")).isEmpty();
            assertThat(others.client().get("/api", AGGREGATED).statusCode()).isEqualTo(200);
        }
    }
}
