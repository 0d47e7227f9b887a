package io.kubemirror.feature.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiClient;
import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

class CatalogControllerTest {

    private static final String PATH = "/kubemirror/v1";

    private static ApiFixture served() {
        return ApiFixture.of(Map.of("catalog", CatalogController.class), "pods");
    }

    private static JsonNode pods(ApiFixture served) {
        JsonNode items = served.client().json(PATH).path("items");
        assertThat(items).hasSize(1);
        return items.get(0);
    }

    @Test
    void mirror_is_listed_with_its_state() {
        try (ApiFixture served = served()) {
            assertThat(pods(served))
                    .hasToString(
                            "{\"resource\":\"pods\",\"state\":\"initializing\",\"resourceVersion\":\"0\"}");

            served.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
            ApiSamples.synchronize(served.writer(), 110);

            assertThat(pods(served))
                    .hasToString(
                            "{\"resource\":\"pods\",\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\","
                                + "\"state\":\"synced\",\"resourceVersion\":\"110\"}");
        }
    }

    @Test
    void document_names_the_parameters_that_lists_have_beyond_the_api_server() {
        try (ApiFixture served = served()) {
            JsonNode catalog = served.client().json(PATH);

            assertThat(catalog.path("kind").asString()).isEqualTo("MirroredResourceList");
            assertThat(catalog.path("listParameters").isArray()).isTrue();
        }
    }

    @Test
    void client_needs_credentials_and_a_permission() {
        ScriptedAccess access = new ScriptedAccess().know("t");
        Map<String, Object> beans = Map.of("catalog", CatalogController.class, "access", access);
        try (ApiFixture served = ApiFixture.of(beans, "pods")) {
            ApiClient client = served.client();
            assertThat(client.get(PATH).statusCode()).isEqualTo(401);
            assertThat(client.get(PATH, "Authorization", "Bearer t").statusCode()).isEqualTo(200);

            access.forbid();

            assertThat(client.get(PATH, "Authorization", "Bearer t").statusCode()).isEqualTo(403);
        }
    }

    @Test
    void path_below_is_not_found() {
        try (ApiFixture served = served()) {
            assertThat(served.client().get(PATH + "/pods").statusCode()).isEqualTo(404);
        }
    }
}
