package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

/** Tables of a mirror that has no more than they show; parity cases compare all other tables. */
class TableRequestTest {

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @Test
    void metadata_only_mirror_serves_tables_without_whole_objects() {
        Scope pods = ApiFixture.scope("pods", "");
        try (ApiFixture served =
                ApiFixture.of(new Scope(pods.resource(), pods.selection(), Extent.METADATA))) {
            ApiSamples.fillWithGoldenPods(served.writer());
            JsonNode table = JsonTrees.parse(get(served, "/api/v1/pods").body());
            assertThat(table.path("rows")).hasSize(3);
            assertThat(table.path("columnDefinitions")).hasSize(2);
            assertThat(get(served, "/api/v1/pods?includeObject=Object").code()).isEqualTo(406);
        }
    }

    /** Whoever may create an object must not take the tables of others away. */
    @Test
    void object_of_any_depth_has_a_row() {
        String deep = "{\"a\":".repeat(9_000) + "1" + "}".repeat(9_000);
        assertThat(rows(deep)).startsWith("[\"z\",\"0/0\",");
    }

    @Test
    void long_number_has_a_row() {
        assertThat(rows("1".repeat(5_000))).startsWith("[\"z\",\"0/0\",");
    }

    @Test
    void object_that_cannot_be_read_spoils_its_row_alone() {
        assertThat(rows("tru")).startsWith("[\"z\",null,");
    }

    private static String rows(String member) {
        try (ApiFixture served = ApiFixture.of("pods")) {
            KubeObject pod = ApiSamples.object("a", "z", 120);
            String json = new String(pod.json(), StandardCharsets.UTF_8);
            byte[] other =
                    (json.substring(0, json.length() - 1) + ",\"other\":" + member + "}")
                            .getBytes(StandardCharsets.UTF_8);
            ApiSamples.fillWithGoldenPods(served.writer());
            served.writer()
                    .upsert(
                            new KubeObject(
                                    pod.key(),
                                    pod.uid(),
                                    pod.revision(),
                                    pod.labels(),
                                    pod.fields(),
                                    other,
                                    pod.metadata(),
                                    pod.version()));
            RestResponse table = get(served, "/api/v1/pods?includeObject=None");
            assertThat(table.code()).isEqualTo(200);
            JsonNode rows = JsonTrees.parse(table.body()).path("rows");
            assertThat(rows).hasSize(4);
            try (WatchClient watch =
                    served.watch(
                            "/api/v1/pods?watch=1&timeoutSeconds=1&includeObject=None",
                            "Accept",
                            TABLE)) {
                for (int i = 0; i < 4; i++) {
                    assertThat(watch.next()).startsWith("{\"type\":\"ADDED\"");
                }
                watch.expectCleanEnd();
            }
            return rows.path(3).path("cells").toString();
        }
    }

    private static RestResponse get(ApiFixture served, String path) {
        return served.client().get(path, "User-Agent", "kubectl", "Accept", TABLE);
    }
}
