package io.kubemirror.feature.union;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerAccess;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithApiServer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Tests a union of namespaces at a real API server, with a user that may read these namespaces only
 * (list-watch.md#unions).
 */
@WithApiServer
class RealUnionTest {

    @TempDir private Path served;
    @TempDir private Path own;
    private @Nullable RealApiServer server;
    private @Nullable UnionFixture kubemirror;

    @BeforeEach
    void start() throws Exception {
        Assumptions.assumeTrue(
                ServerBinaries.find().isPresent(), "only executables read files of ours");
        ServerAccess access = new ServerAccess(served);
        access.knowTokens("t1");
        access.knowCertificates(TestCertificates.of("nobody", "nobody").certificatePem());
        access.permitReading("a", "b");
        server = RealApiServer.start(ServerBinaries.find().orElseThrow(), access);
        for (String namespace : List.of("a", "b", "c")) {
            server.ensureNamespace(namespace);
            server.create(configMap(namespace, namespace + "-first"));
        }
        Files.writeString(
                own.resolve("config"),
                """
                current-context: x
                contexts: [{name: x, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
                users: [{name: u, user: {token: t1}}]
                """
                        .formatted(server.url()));
        kubemirror =
                new UnionFixture(
                        List.of(
                                "kubemirror.upstream.server=",
                                "kubemirror.upstream.kubeconfig=" + own.resolve("config")),
                        "a",
                        "b");
    }

    @AfterEach
    void stop() {
        if (kubemirror != null) {
            kubemirror.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private RealApiServer server() {
        return Objects.requireNonNull(server);
    }

    private UnionFixture kubemirror() {
        return Objects.requireNonNull(kubemirror);
    }

    private static WatchReader watch(UnionFixture fixture, long revision) {
        return fixture.client().watch(UnionFixture.ALL + "?watch=1&resourceVersion=" + revision);
    }

    private static String brief(ObjectNode event) {
        return event.path("type").asString() + " " + JsonTrees.name(event.path("object"));
    }

    @Test
    void user_of_two_namespaces_lists_and_watches_both_together() {
        ObjectNode list = kubemirror().client().read(UnionFixture.ALL);
        assertThat(UnionFixture.revisions(list)).containsOnlyKeys("a-first", "b-first");
        assertThat(kubemirror().client().get(UnionFixture.ALL).header("Kubemirror-Namespaces"))
                .isEqualTo("a, b");

        try (WatchReader watch = watch(kubemirror(), JsonTrees.revision(list))) {
            server().create(configMap("a", "a-second"));
            server().create(configMap("c", "c-second"));
            server().create(configMap("b", "b-second"));
            server().delete(CONFIGMAPS, "a", "a-first");

            assertThat(brief(watch.next())).isEqualTo("ADDED a-second");
            assertThat(brief(watch.next())).isEqualTo("ADDED b-second");
            assertThat(brief(watch.next())).isEqualTo("DELETED a-first");
        }
        assertThat(UnionFixture.revisions(kubemirror().client().read(UnionFixture.ALL)))
                .containsOnlyKeys("a-second", "b-first", "b-second");
    }

    @Test
    void open_watch_survives_a_restart_of_the_api_server() {
        long revision = JsonTrees.revision(kubemirror().client().read(UnionFixture.ALL));
        try (WatchReader watch = watch(kubemirror(), revision)) {
            server().create(configMap("a", "before"));
            assertThat(brief(watch.next())).isEqualTo("ADDED before");
            server().restart();
            server().create(configMap("b", "after"));

            assertThat(brief(watch.next())).isEqualTo("ADDED after");
        }
    }

    @Test
    void client_resumes_after_a_restart_of_kubemirror_without_loss() {
        long revision = JsonTrees.revision(kubemirror().client().read(UnionFixture.ALL));
        try (WatchReader watch = watch(kubemirror(), revision)) {
            server().create(configMap("a", "before"));
            revision = JsonTrees.revision(watch.next().path("object"));
        }
        kubemirror().stop();
        kubemirror().start();

        try (WatchReader watch = watch(kubemirror(), revision)) {
            server().create(configMap("b", "after"));
            assertThat(brief(watch.next())).isEqualTo("ADDED after");
        }
    }
}
