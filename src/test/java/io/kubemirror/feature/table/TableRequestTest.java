package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiClient;
import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;

/** Tables of a mirror that has no more than they show; parity cases compare all other tables. */
class TableRequestTest {

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @Test
    void metadata_only_mirror_serves_tables_without_whole_objects() {
        Scope pods = ApiFixture.scope("pods", "");
        try (ApiFixture served =
                ApiFixture.of(new Scope(pods.resource(), pods.selection(), Extent.METADATA))) {
            ApiSamples.fillWithGoldenPods(served.writer());
            JsonNode table = ApiClient.tree(get(served, "/api/v1/pods").body());
            assertThat(table.path("rows")).hasSize(3);
            assertThat(table.path("columnDefinitions")).hasSize(2);
            assertThat(get(served, "/api/v1/pods?includeObject=Object").statusCode())
                    .isEqualTo(406);
        }
    }

    private static HttpResponse<String> get(ApiFixture served, String path) {
        return served.client().get(path, "User-Agent", "kubectl", "Accept", TABLE);
    }
}
