package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A real API server accepts every object that the chart renders. It refuses members that its types
 * do not have.
 */
@WithApiServer
class ChartCreationTest {

    private static final Path DEFINITIONS =
            Path.of("src/test/resources/io/kubemirror/deploy/definitions");

    private final ApiServer server;
    private final String namespace;
    private final ManifestApplier manifestApplier;
    private @TempDir Path directory;

    ChartCreationTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        this.namespace = namespace.name();
        manifestApplier = new ManifestApplier(server.client());
    }

    @BeforeEach
    void prepare() {
        for (String other : new String[] {"shop", "office"}) {
            server.ensureNamespace(other);
        }
        define("podmonitors");
        define("prometheusrules");
    }

    /** The part that matters here of the Prometheus operator's definitions. */
    private void define(String plural) {
        ObjectNode definition = YamlTrees.file(DEFINITIONS.resolve(plural + ".yaml"));
        assertThat(manifestApplier.create(definition).code()).isIn(201, 409);
        String target = "/apis/monitoring.coreos.com/v1/" + plural;
        while (server.client().get(target).code() != 200) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "small, sidecar",
        "small, node",
        "small, cluster",
        "full, sidecar",
        "full, node",
        "full, cluster"
    })
    void api_server_accepts_every_manifest_of_every_mode(String set, String mode)
            throws IOException {
        String own = namespace + "-" + set + "-" + mode;
        server.ensureNamespace(own);
        RenderedChart rendered = render(ChartValues.set(set).mode(mode), own);

        for (ObjectNode manifest : rendered.manifests()) {
            create(manifest);
        }
    }

    private RenderedChart render(ChartValues values, String own) {
        return values.tree().path("mode").asString().equals("sidecar")
                ? Chart.of("example", directory, "app", own).render(values.under("kubemirror"))
                : Chart.of("kubemirror", directory, "mirror", own).render(values);
    }

    private void create(ObjectNode manifest) throws IOException {
        if (manifestApplier.serves(manifest)) {
            RestResponse reply = manifestApplier.create(manifest);
            assertThat(reply.code()).as(reply.body()).isEqualTo(201);
        } else {
            // The one kind that a server may lack; the official client's type refuses the same.
            assertThat(manifest.path("kind").asString()).isEqualTo("HorizontalPodAutoscaler");
            V2HorizontalPodAutoscaler.validateJsonElement(
                    JsonParser.parseString(JsonTrees.text(manifest)));
        }
    }

    @Test
    void unknown_manifest_field_is_rejected() {
        ObjectNode deployment =
                render(ChartValues.set("small").mode("cluster"), namespace).only("Deployment");
        deployment.withObject("/spec/template/spec").put("serviceAcountName", "a");

        RestResponse reply = manifestApplier.create(deployment);

        assertThat(reply.code()).isEqualTo(400);
        assertThat(reply.body()).contains("unknown field \\\"spec.template.spec.serviceAcountName");
    }

    @Test
    void unknown_autoscaler_field_is_rejected() {
        ObjectNode autoscaler =
                render(ChartValues.set("full").mode("cluster"), namespace)
                        .only("HorizontalPodAutoscaler");
        autoscaler.withObject("/spec").put("minimumReplicas", 1);

        assertThatThrownBy(
                        () ->
                                V2HorizontalPodAutoscaler.validateJsonElement(
                                        JsonParser.parseString(JsonTrees.text(autoscaler))))
                .hasMessageContaining("minimumReplicas");
    }
}
