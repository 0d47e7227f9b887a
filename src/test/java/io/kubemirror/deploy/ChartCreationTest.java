package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubernetes.client.openapi.models.V1MutatingAdmissionPolicy;
import io.kubernetes.client.openapi.models.V1MutatingAdmissionPolicyBinding;
import io.kubernetes.client.openapi.models.V2HorizontalPodAutoscaler;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

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
        for (String other : new String[] {"shop", "office"}) {
            server.ensureNamespace(other);
        }
        define("podmonitors", "/apis/monitoring.coreos.com/v1/");
        define("servicemonitors", "/apis/monitoring.coreos.com/v1/");
        define("prometheusrules", "/apis/monitoring.coreos.com/v1/");
        define("certificates", "/apis/cert-manager.io/v1/");
    }

    /** The part that matters here of the definitions of others. */
    private void define(String plural, String group) {
        ObjectNode definition = YamlTrees.file(DEFINITIONS.resolve(plural + ".yaml"));
        assertThat(manifestApplier.create(definition).code()).isIn(201, 409);
        WaitLimit.until(() -> server.client().get(group + plural).code() == 200);
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

    @Test
    void api_server_accepts_the_injection_into_pods() throws IOException {
        String own = namespace + "-injection";
        server.ensureNamespace(own);
        RenderedChart rendered =
                Chart.of("kubemirror", directory, "mirror", own)
                        .render(
                                ChartValues.of(
                                        "{injection: {enabled: true, namespaces: [shop, office]},"
                                                + " podMonitor: {enabled: true}}"),
                                "1.36.0");

        for (ObjectNode manifest : rendered.manifests()) {
            create(manifest);
        }
    }

    private RenderedChart render(ChartValues values, String own) {
        return values.tree().path("mode").asString().equals("sidecar")
                ? Chart.of("example", directory, "app", own).render(values.under("kubemirror"))
                : Chart.of("kubemirror", directory, "mirror", own).withHooks().render(values);
    }

    private void create(ObjectNode manifest) throws IOException {
        if (manifestApplier.serves(manifest)) {
            RestResponse reply = manifestApplier.create(manifest);
            assertThat(reply.code()).as(reply.body()).isEqualTo(201);
        } else {
            validate(manifest);
        }
    }

    /** For kinds that a server may lack: the official client's types refuse the same. */
    private static void validate(ObjectNode manifest) throws IOException {
        JsonElement element = JsonParser.parseString(JsonTrees.text(manifest));
        switch (manifest.path("kind").asString()) {
            case "HorizontalPodAutoscaler" ->
                    V2HorizontalPodAutoscaler.validateJsonElement(element);
            case "MutatingAdmissionPolicy" ->
                    V1MutatingAdmissionPolicy.validateJsonElement(element);
            case "MutatingAdmissionPolicyBinding" ->
                    V1MutatingAdmissionPolicyBinding.validateJsonElement(element);
            default -> throw new AssertionError(manifest.path("kind"));
        }
    }

    /** The group that a type without one lacks is named, and the core group is complete. */
    @Test
    void group_of_every_type_of_the_server_is_known() {
        Chart chart = Chart.of("kubemirror", directory, "mirror", namespace);
        JsonNode groups = server.client().get("/apis").json().path("groups");
        List<String> paths = new ArrayList<>(List.of("/api/v1"));
        groups.valueStream()
                .filter(
                        group ->
                                !group.path("name")
                                        .asString()
                                        .matches(".*[.](example|com|coreos[.]com)|cert-manager.*"))
                .map(group -> "/apis/" + group.at("/preferredVersion/groupVersion").asString())
                .forEach(paths::add);

        for (String path : paths) {
            String group = path.equals("/api/v1") ? "" : "." + Path.of(path).getName(1).toString();
            for (String plural : plurals(path)) {
                ChartValues values =
                        ChartValues.of(
                                "{mirror: [{resource: "
                                        + plural
                                        + "}], config: {kubemirror: {allow-secrets: true}}}");
                if (group.isEmpty()) {
                    assertThat(chart.render(values).kinds()).contains("ClusterRole");
                } else {
                    assertThatThrownBy(() -> chart.render(values))
                            .hasMessageContaining("write " + plural + group + "\n");
                }
            }
        }
    }

    /** The types that can be mirrored. */
    private List<String> plurals(String path) {
        return server.client()
                .get(path)
                .json()
                .path("resources")
                .valueStream()
                .filter(type -> type.path("verbs").toString().contains("\"list\""))
                .map(type -> type.path("name").asString())
                .toList();
    }
}
