package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.SelectorException;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/**
 * If only some namespaces are mirrored, requests outside them get errors, never empty lists
 * (list-watch.md#ca-7).
 */
class PartialMirrorTest {

    @AutoClose
    private static final ApiFixture SERVED =
            ApiFixture.of(ApiFixture.scope("pods", "a"), ApiFixture.scope("pods", "b"));

    static {
        fill(SERVED.writer(0), "a", 110);
        fill(SERVED.writer(1), "b", 120);
    }

    private final ApiClient client = SERVED.client();

    private static void fill(MirrorWriter writer, String namespace, long revision) {
        writer.identify(ApiSamples.PODS);
        ApiSamples.synchronize(writer, revision, ApiSamples.object(namespace, "x", 100));
    }

    @Test
    void each_namespace_is_served_from_its_own_mirror() {
        assertThat(client.get("/api/v1/namespaces/a/pods").body()).contains("\"110\"");
        assertThat(client.get("/api/v1/namespaces/b/pods").body()).contains("\"120\"");
        assertThat(client.get("/api/v1/namespaces/b/pods/x").statusCode()).isEqualTo(200);
        assertThat(client.get("/api/v1/namespaces/b/pods/y").statusCode()).isEqualTo(404);
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
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body())
                .contains("\"reason\":\"Forbidden\"", "kubemirror mirrors only pods/a, pods/b");
    }

    @Test
    void partially_mirrored_type_appears_once_in_discovery() {
        assertThat(client.json("/api/v1").path("resources")).hasSize(1);
    }

    @Test
    void mirror_of_a_selection_serves_only_its_scope() throws SelectorException {
        Scope scope =
                new Scope(
                        new ResourceName("pods"),
                        new Selection(
                                "",
                                LabelSelectorParser.parse("app=v"),
                                FieldSelector.everything()));
        try (ApiFixture part = ApiFixture.of(scope)) {
            part.writer().identify(ApiSamples.PODS);
            ApiSamples.synchronize(part.writer(), 110, ApiSamples.object("a", "x", 103, "v"));
            ApiClient client = part.client();
            assertThat(client.get("/api/v1/pods").statusCode()).isEqualTo(403);
            assertThat(client.json("/api/v1/pods?labelSelector=app%3Dv").path("items")).hasSize(1);
            assertThat(client.json("/api/v1/pods?labelSelector=app%3Dv,b").path("items")).isEmpty();
            assertThat(client.get("/api/v1/namespaces/a/pods/x").statusCode()).isEqualTo(200);
            assertThat(client.get("/api/v1/namespaces/a/pods/y").statusCode()).isEqualTo(403);
        }
    }
}
