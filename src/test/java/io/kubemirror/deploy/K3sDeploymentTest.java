package io.kubemirror.deploy;

import static io.kubemirror.testing.Manifests.namespace;
import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.DEPLOYMENTS;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.K3sApiServer;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

/**
 * Tests image, chart, and an application that watches pods through its mirror, in a cluster, if a
 * Docker engine is available.
 */
class K3sDeploymentTest {

    private static final String NAMESPACE = "shop";
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private @TempDir Path directory;

    @Test
    void sidecar_is_ready_before_its_application_follows_the_cluster_and_comes_back()
            throws Exception {
        K3sApiServer.demand();
        ExternalProgram.DOCKER.demand();
        Path archive = directory.resolve("image.tar");
        // containerd cannot import the attestations of an image.
        docker(
                "buildx",
                "build",
                "--load",
                "--provenance=false",
                "--tag",
                ReleasedImage.reference(),
                ".");
        docker("save", "--output", archive.toString(), ReleasedImage.reference());
        try (K3sApiServer server = K3sApiServer.start()) {
            server.load(archive);
            server.client().create(namespace(NAMESPACE));
            new ManifestApplier(server.client()).apply(rendered());
            await(server, log -> log.contains("\"kind\": \"PodList\""));
            await(server, log -> log.contains("\"type\":\"ADDED\""));

            server.client().create(pod(NAMESPACE, "newcomer"));
            await(server, log -> log.contains("\"name\":\"newcomer\""));

            // The probes of the sidecar succeed.
            patiently()
                    .until(
                            () ->
                                    application(server)
                                            .filter(K3sDeploymentTest::isReady)
                                            .isPresent());
            JsonNode first = application(server).orElseThrow();
            assertThat(started(first, "initContainerStatuses"))
                    .isLessThanOrEqualTo(started(first, "containerStatuses"));
            String account = first.at("/spec/serviceAccountName").asString();
            assertThat(isAllowed(server, account, "watch", "pods")).isTrue();
            assertThat(isAllowed(server, account, "list", "secrets")).isFalse();
            assertThat(isAllowed(server, account, "create", "pods")).isFalse();
            assertThat(scraped(server, first)).contains("kubemirror_objects{");

            delete(server, PODS, JsonTrees.name(first));
            patiently()
                    .until(
                            () ->
                                    application(server)
                                            .filter(pod -> !isSame(pod, first))
                                            .isPresent());
            await(server, log -> log.contains("\"name\":\"newcomer\""));

            delete(server, DEPLOYMENTS, "app");
            patiently().until(() -> application(server).isEmpty());
        }
    }

    private static void delete(K3sApiServer server, ResourceType type, String name) {
        String path = RestClient.object(type, NAMESPACE, name) + "?gracePeriodSeconds=0";
        server.client().write("DELETE", path, null);
    }

    /** Waits for a cluster that is busy, and may not answer at once. */
    private static ConditionFactory patiently() {
        return Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .ignoreExceptionsInstanceOf(UncheckedIOException.class);
    }

    private static boolean isReady(JsonNode pod) {
        return pod.at("/status/conditions")
                .valueStream()
                .filter(one -> one.path("type").asString().equals("Ready"))
                .anyMatch(one -> one.path("status").asString().equals("True"));
    }

    private static boolean isSame(JsonNode pod, JsonNode other) {
        return pod.at("/metadata/uid").equals(other.at("/metadata/uid"));
    }

    /** Asks whether the service account of a pod may do something in its namespace. */
    private static boolean isAllowed(
            K3sApiServer server, String account, String verb, String resource) {
        String review =
                """
                {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
                  "user": "system:serviceaccount:%s:%s",
                  "resourceAttributes": {"namespace": "%s", "verb": "%s", "resource": "%s"}}}
                """
                        .formatted(NAMESPACE, account, NAMESPACE, verb, resource);
        return server.client()
                .write("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
                .at("/status/allowed")
                .asBoolean();
    }

    /** Reads the metrics as Prometheus does, at the address of the pod. */
    private static String scraped(K3sApiServer server, JsonNode pod) {
        String port = pod.at("/spec/initContainers/0/ports/0/containerPort").asString();
        String path =
                "%s/%s:%s/proxy/actuator/prometheus"
                        .formatted(PODS.collectionPath(NAMESPACE), JsonTrees.name(pod), port);
        return server.client().get(path).body();
    }

    private RenderedChart rendered() {
        ChartValues values =
                ChartValues.of(
                        """
                        replicas: 1
                        kubemirror:
                          image: {pullPolicy: Never}
                        """);
        return Chart.of("example", directory.resolve("charts"), "app", NAMESPACE)
                .render(values, K3sApiServer.VERSION);
    }

    private static void docker(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("docker"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    /** Waits for something in what the application prints of its watch. */
    private static void await(K3sApiServer server, Predicate<String> condition) {
        patiently().until(() -> log(server).filter(condition).isPresent());
    }

    private static Optional<String> log(K3sApiServer server) {
        return application(server)
                .map(pod -> PODS.collectionPath(NAMESPACE) + "/" + JsonTrees.name(pod))
                .map(pod -> server.client().get(pod + "/log?container=application"))
                .filter(reply -> reply.code() == 200)
                .map(reply -> reply.body());
    }

    private static Optional<JsonNode> application(K3sApiServer server) {
        String pods = PODS.collectionPath(NAMESPACE);
        return server.client()
                .get(pods + "?labelSelector=app.kubernetes.io/name=example")
                .json()
                .path("items")
                .valueStream()
                .findFirst();
    }

    private static String started(JsonNode pod, String statuses) {
        return pod.at("/status/" + statuses + "/0/state/running/startedAt").asString();
    }
}
