package io.kubemirror.deploy;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.real.K3sApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
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

    @BeforeEach
    void demandDocker() {
        K3sApiServer.demand();
    }

    @Test
    void application_watches_pods_through_its_sidecar() throws Exception {
        Path archive = directory.resolve("image.tar");
        docker("buildx", "build", "--load", "--tag", ReleasedImage.reference(), ".");
        docker("save", "--output", archive.toString(), ReleasedImage.reference());
        try (K3sApiServer server = K3sApiServer.start(List.of())) {
            server.load(archive);
            server.ensureNamespace(NAMESPACE);
            new ManifestApplier(server.client()).apply(rendered());
            await(server, log -> log.contains("\"type\":\"ADDED\""));

            server.create(pod(NAMESPACE, "newcomer"));

            await(server, log -> log.contains("\"name\":\"newcomer\""));
            assertThat(started(server, "initContainerStatuses"))
                    .isLessThanOrEqualTo(started(server, "containerStatuses"));
        }
    }

    private RenderedChart rendered() {
        ChartValues values =
                ChartValues.of(
                        """
                        replicas: 1
                        kubemirror:
                          image: {pullPolicy: Never}
                        """);
        return Chart.of("example", directory.resolve("charts"), "app", NAMESPACE).render(values);
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
        Awaitility.await().atMost(PATIENCE).until(() -> log(server).filter(condition).isPresent());
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

    private static String started(K3sApiServer server, String statuses) {
        return application(server)
                .orElseThrow()
                .at("/status/" + statuses + "/0/state/running/startedAt")
                .asString();
    }
}
