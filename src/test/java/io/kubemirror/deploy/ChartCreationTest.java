package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;

import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.Json;
import io.kubemirror.testground.RestClient.Reply;
import io.kubemirror.testground.TestNamespace;
import io.kubemirror.testground.WithApiServer;
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
 * Everything that the chart renders is created on a genuine API server, which refuses members that
 * its types do not have.
 */
@WithApiServer
class ChartCreationTest {

    private static final Path DEFINITIONS =
            Path.of("src/test/resources/io/kubemirror/deploy/definitions");

    private final ApiServer server;
    private final String namespace;
    private final Applier applier;
    private @TempDir Path directory;

    ChartCreationTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        this.namespace = namespace.name();
        applier = new Applier(server.client());
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
        ObjectNode definition = Yaml.file(DEFINITIONS.resolve(plural + ".yaml"));
        assertThat(applier.create(definition).code()).isIn(201, 409);
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
    void every_manifest_of_every_shape_is_created(String set, String shape) throws IOException {
        String own = namespace + "-" + set + "-" + shape;
        server.ensureNamespace(own);
        Rendered rendered = render(Values.set(set).shape(shape), own);

        for (ObjectNode manifest : rendered.manifests()) {
            create(manifest);
        }
    }

    private Rendered render(Values values, String own) {
        return values.tree().path("shape").asString().equals("sidecar")
                ? Chart.of("example", directory, "app", own).render(values.under("kubemirror"))
                : Chart.of("kubemirror", directory, "mirror", own).render(values);
    }

    private void create(ObjectNode manifest) throws IOException {
        if (applier.serves(manifest)) {
            Reply reply = applier.create(manifest);
            assertThat(reply.code()).as(reply.body()).isEqualTo(201);
        } else {
            // The one kind that a server may lack; the official client's type refuses the same.
            assertThat(manifest.path("kind").asString()).isEqualTo("HorizontalPodAutoscaler");
            V2HorizontalPodAutoscaler.validateJsonElement(
                    JsonParser.parseString(Json.text(manifest)));
        }
    }

    @Test
    void a_member_that_no_type_has_would_be_refused() {
        ObjectNode deployment =
                render(Values.set("small").shape("cluster"), namespace).only("Deployment");
        deployment.withObject("/spec/template/spec").put("serviceAcountName", "a");

        Reply reply = applier.create(deployment);

        assertThat(reply.code()).isEqualTo(400);
        assertThat(reply.body()).contains("unknown field \\\"spec.template.spec.serviceAcountName");
    }

    @Test
    void a_member_that_no_autoscaler_has_would_be_refused() {
        ObjectNode autoscaler =
                render(Values.set("full").shape("cluster"), namespace)
                        .only("HorizontalPodAutoscaler");
        autoscaler.withObject("/spec").put("minimumReplicas", 1);

        assertThatThrownBy(
                        () ->
                                V2HorizontalPodAutoscaler.validateJsonElement(
                                        JsonParser.parseString(Json.text(autoscaler))))
                .hasMessageContaining("minimumReplicas");
    }
}
