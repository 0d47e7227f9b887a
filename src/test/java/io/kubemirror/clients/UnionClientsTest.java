package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Tests unmodified clients of all namespaces where kubemirror mirrors two of them
 * (list-watch.md#unions).
 */
@WithApiServer
class UnionClientsTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ApiServer server;
    private final String one;
    private final String other;
    private final ConfigurableApplicationContext kubemirror;

    UnionClientsTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        one = namespace.name();
        other = one + "-other";
        server.ensureNamespace(other);
        kubemirror =
                ApplicationLauncher.with(
                        "kubemirror.upstream.server=" + server.url(),
                        "kubemirror.shutdown.watch-spread=0s",
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.resources[0].union=true",
                        "kubemirror.resources[0].namespaces=" + one + "," + other);
    }

    @BeforeEach
    void fill() {
        server.create(pod(one, "first"));
        server.create(pod(other, "second"));
        RestClient client = RestClient.of(url());
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> client.get("/api/v1/pods").body().contains("\"second\""));
    }

    @AfterEach
    void stop() {
        kubemirror.close();
        for (String name : List.of("first", "third")) {
            delete(one, name);
        }
        for (String name : List.of("second", "fourth")) {
            delete(other, name);
        }
    }

    private void delete(String namespace, String name) {
        String path = PODS.collectionPath(namespace) + "/" + name;
        if (server.client().get(path).code() == 200) {
            server.delete(PODS, namespace, name);
        }
    }

    private URI url() {
        String port = kubemirror.getEnvironment().getRequiredProperty("local.server.port");
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Changes both namespaces, one after the other. */
    private void change() {
        server.create(pod(one, "third"));
        server.create(pod(other, "fourth"));
        server.patch(PODS, one, "first", "{\"metadata\":{\"labels\":{\"changed\":\"yes\"}}}");
        server.delete(PODS, other, "second");
    }

    @ParameterizedTest
    @EnumSource(names = {"FABRIC8_WEB_SOCKET", "FABRIC8_WATCH_LIST", "JAVA"})
    void informer_of_all_namespaces_follows_both(ObservedInformer kind) {
        ReportedPods reported = new ReportedPods();
        try (Informer informer = kind.join(url(), "", reported)) {
            assertThat(reported.await(() -> reported.state().size() == 2)).isTrue();

            change();

            assertThat(
                            reported.await(
                                    () ->
                                            reported.told()
                                                    .containsAll(
                                                            List.of(
                                                                    "added third",
                                                                    "added fourth",
                                                                    "changed first",
                                                                    "deleted second"))))
                    .isTrue();
            Awaitility.await()
                    .atMost(LIMIT)
                    .untilAsserted(
                            () ->
                                    assertThat(informer.held())
                                            .containsOnlyKeys("first", "third", "fourth"));
        }
    }

    @Test
    void kubectl_gets_and_watches_all_namespaces(@TempDir Path directory) throws Exception {
        ExternalProgram.KUBECTL.demand();
        Files.createFile(directory.resolve("empty"));
        List<String> command =
                List.of(
                        "kubectl",
                        "--server=" + url(),
                        "--kubeconfig=" + directory.resolve("empty"),
                        "--cache-dir=" + directory.resolve("cache"),
                        "get",
                        "pods",
                        "-A",
                        "-w",
                        "--no-headers",
                        "--output-watch-events");
        try (ProgramRun run = ProgramRun.start(directory, command)) {
            assertThat(run.output().await(lines -> lines.size() == 2)).isTrue();

            change();

            assertThat(run.output().await(lines -> String.join(" ", lines).contains("DELETED")))
                    .isTrue();
            assertThat(run.output().all())
                    .anyMatch(line -> line.matches("ADDED +" + one + " +third .*"))
                    .anyMatch(line -> line.matches("ADDED +" + other + " +fourth .*"))
                    .anyMatch(line -> line.matches("MODIFIED +" + one + " +first .*"))
                    .anyMatch(line -> line.matches("DELETED +" + other + " +second .*"));
        }
    }
}
