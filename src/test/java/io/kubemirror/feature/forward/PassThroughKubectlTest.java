package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.clients.ExternalProgram;
import io.kubemirror.clients.ProgramRun;
import io.kubemirror.kube.ReviewClient;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.model.Identity;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerAccess;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.real.WithEtcd;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** kubectl with tokens of a real API server, which it sends over TLS only, through kubemirror. */
@WithEtcd
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(180)
class PassThroughKubectlTest {

    private static final String CONFIG_MAP =
            """
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "k"}}
            """;

    private static final String ANYTHING =
            "\"namespace\":\"*\",\"resource\":\"*\",\"apiGroup\":\"*\",\"nonResourcePath\":\"*\"}";

    private static final List<String> POLICIES =
            List.of(
                    "{\"user\":\"editor\"," + ANYTHING,
                    "{\"user\":\"reader\",\"readonly\":true," + ANYTHING);

    private static final Map<String, Identity> IDENTITIES =
            Map.of("t-editor", identity("editor"), "t-reader", identity("reader"));

    private final Path directory;
    @AutoClose private final RealApiServer server;
    private final List<ConfigurableApplicationContext> started = new ArrayList<>();

    PassThroughKubectlTest(@TempDir Path directory) throws Exception {
        this.directory = directory;
        ServerAccess access = new ServerAccess(directory);
        access.knowUsers(List.of("t-editor,editor,1", "t-reader,reader,2"));
        access.knowCertificates(TestCertificates.of("nobody", "nobody").certificatePem());
        access.permit(POLICIES);
        server = RealApiServer.start(ServerBinaries.find().orElseThrow(), access);
        server.ensureNamespace("default");
    }

    private static Identity identity(String name) {
        return new Identity(name, "", List.of(Identity.AUTHENTICATED), Map.of());
    }

    @AfterEach
    void stop() {
        started.forEach(ConfigurableApplicationContext::close);
        started.clear();
    }

    private int start(String... settings) throws IOException {
        Path config = directory.resolve("config");
        Files.writeString(config, server.kubeconfig().orElseThrow());
        started.add(
                ApplicationLauncher.with(
                        ReviewClient.class,
                        new AbacReviews(IDENTITIES, POLICIES),
                        ApplicationLauncher.and(
                                settings,
                                "kubemirror.upstream.server=",
                                "kubemirror.upstream.kubeconfig=" + config,
                                "kubemirror.resources[0].resource=configmaps")));
        return ApplicationLauncher.port(started.getFirst());
    }

    @Test
    void kubectl_with_tls_applies_with_its_own_token() throws Exception {
        ExternalProgram.KUBECTL.demand();
        TestCertificates own = TestCertificates.of("kubemirror", "127.0.0.1");
        Path certificate = Files.writeString(directory.resolve("own.crt"), own.certificatePem());
        int port =
                start(
                        ApplicationLauncher.and(
                                ApplicationLauncher.tls(own),
                                "kubemirror.pass-through.mode=client"));
        Path map = Files.writeString(directory.resolve("map.json"), CONFIG_MAP);

        assertThat(kubectl(port, certificate, "t-reader", "apply", "-f", map.toString()))
                .contains("Forbidden", "User \"reader\"")
                .endsWith("exit code 1");
        assertThat(kubectl(port, certificate, "t-editor", "apply", "-f", map.toString()))
                .contains("configmap/k created")
                .endsWith("exit code 0");
        assertThat(kubectl(port, certificate, "t-reader", "get", "configmap", "k", "-o", "name"))
                .contains("configmap/k")
                .endsWith("exit code 0");
        assertThat(kubectl(port, certificate, "t-nobody", "get", "configmaps"))
                .contains("You must be logged in to the server")
                .endsWith("exit code 1");
        // Without any credentials, it would ask for a user name.
        assertThat(kubectl(port, certificate, "", "--username=u", "get", "configmaps"))
                .contains("You must be logged in to the server")
                .endsWith("exit code 1");
        assertThat(kubectl(port, certificate, "t-editor", "delete", "configmap", "k"))
                .contains("configmap \"k\" deleted")
                .endsWith("exit code 0");
    }

    private String kubectl(int port, Path certificate, String token, String... arguments)
            throws IOException {
        Path config =
                Files.writeString(
                        directory.resolve("config-" + token),
                        """
                        {kind: Config, apiVersion: v1, current-context: c,
                         contexts: [{name: c, context: {cluster: c, user: u}}],
                         clusters: [{name: c, cluster:
                           {server: "https://127.0.0.1:%d", certificate-authority: "%s"}}],
                         users: [{name: u, user: {token: "%s"}}]}
                        """
                                .formatted(port, certificate, token));
        List<String> command = new ArrayList<>(List.of("kubectl", "--kubeconfig=" + config));
        command.add("--cache-dir=" + directory.resolve("cache"));
        command.addAll(List.of(arguments));
        try (ProgramRun run = ProgramRun.start(directory, command)) {
            return run.outcome();
        }
    }
}
