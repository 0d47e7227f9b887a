package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.ProgramRun;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.GeneratedPage;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The manifests for people without Helm are those of the chart, and {@code kubectl apply -k} can
 * create them.
 */
@WithApiServer
class PlainManifestsTest {

    private static final Path DIRECTORY = Path.of("src/deploy");

    private final ApiServer server;
    private @TempDir Path directory;

    PlainManifestsTest(ApiServer server) {
        this.server = server;
    }

    /** Writes the files if {@code -Dmanifests.write=true} is set. */
    @ParameterizedTest
    @ValueSource(strings = {"sidecar", "node", "cluster"})
    void manifests_are_those_of_the_chart(String mode) throws Exception {
        RenderedChart rendered = render(mode);
        StringBuilder manifests =
                new StringBuilder("# Written by PlainManifestsTest from the chart.\n");
        manifests.append(YamlTrees.text(namespace(mode)));
        rendered.manifests().stream()
                .filter(manifest -> !manifest.path("kind").asString().equals("ConfigMap"))
                .forEach(manifest -> manifests.append(YamlTrees.text(plain(manifest))));

        page(mode, "manifests.yaml").assertMatches(manifests.toString());
        page(mode, "application.yaml").assertMatches(rendered.application());
    }

    private static GeneratedPage page(String mode, String file) {
        return new GeneratedPage("manifests", DIRECTORY.resolve(mode).resolve(file));
    }

    private RenderedChart render(String mode) {
        String values =
                switch (mode) {
                    case "sidecar" -> "{}";
                    case "node" ->
                            "mirror: [{resource: pods, field-selector:"
                                    + " 'spec.nodeName=${NODE_NAME}'}]";
                    default -> "mirror: [{resource: pods}]";
                };
        if (mode.equals("sidecar")) {
            return Chart.of("example", directory, "example", "example")
                    .render(ChartValues.of(values));
        }
        return Chart.of("kubemirror", directory, "kubemirror", "kubemirror")
                .render(
                        ChartValues.of(values)
                                .mode(mode)
                                .with("/tls/secretName", "\"kubemirror-tls\"")
                                .with(
                                        "/config/kubemirror/access/authentication",
                                        "[\"token-review\"]"));
    }

    private static ObjectNode namespace(String mode) {
        String name = mode.equals("sidecar") ? "example" : "kubemirror";
        return YamlTrees.document(
                "{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}");
    }

    /** Without what Helm needs. */
    private static ObjectNode plain(ObjectNode manifest) {
        ObjectNode copy = manifest.deepCopy();
        for (JsonNode labels : copy.findValues("labels")) {
            ((ObjectNode) labels).remove(List.of("helm.sh/chart", "app.kubernetes.io/managed-by"));
        }
        for (JsonNode metadata : copy.findParents("annotations")) {
            ((ObjectNode) metadata).withObject("annotations").remove("checksum/kubemirror");
            if (metadata.path("annotations").isEmpty()) {
                ((ObjectNode) metadata).remove("annotations");
            }
        }
        return copy;
    }

    @ParameterizedTest
    @ValueSource(strings = {"sidecar", "node", "cluster"})
    void api_server_accepts_what_kubectl_applies(String mode) {
        RenderedChart built = RenderedChart.of(kustomize(mode));
        ManifestApplier manifestApplier = new ManifestApplier(server.client());

        for (ObjectNode manifest : built.manifests()) {
            var reply = manifestApplier.create(manifest);
            assertThat(reply.code()).as(reply.body()).isIn(201, 409);
            assertThat(reply.body()).doesNotContain("unknown field");
        }
        JsonNode configuration = built.only("ConfigMap");
        assertThat(configuration.at("/metadata/name").asString()).contains("kubemirror-");
        assertThat(built.podSpec().at("/volumes/0/configMap/name"))
                .isEqualTo(configuration.at("/metadata/name"));
        assertThat(built.container().path("image").asString()).isEqualTo(ReleasedImage.reference());
    }

    private static String kustomize(String mode) {
        ExternalProgram.KUBECTL.demand();
        try (ProgramRun run = ProgramRun.start(DIRECTORY, List.of("kubectl", "kustomize", mode))) {
            return run.text();
        }
    }
}
