package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.Http2Sessions;
import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.micrometer.core.instrument.MeterRegistry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Clients of other projects over HTTP/2: by TLS, and with prior knowledge. */
@Timeout(180)
class Http2ClientsTest {

    private static final int INFORMERS = 30;
    private static final String ON = "server.http2.enabled=true";

    private final TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");

    @TempDir private Path directory;

    Http2ClientsTest() throws Exception {}

    private static ConfigurableApplicationContext kubemirror(
            ScriptedApiServer server, String... settings) {
        return ApplicationLauncher.mirroring(server.url(), "pods", settings);
    }

    private ConfigurableApplicationContext secure(ScriptedApiServer server) throws Exception {
        Files.writeString(directory.resolve("ca.pem"), certificate.certificatePem());
        return kubemirror(
                server, ApplicationLauncher.and(ApplicationLauncher.tls(certificate), ON));
    }

    private static URI url(String scheme, ConfigurableApplicationContext kubemirror) {
        return URI.create(scheme + "://localhost:" + ApplicationLauncher.port(kubemirror));
    }

    private static int connections(ConfigurableApplicationContext kubemirror) {
        return (int)
                kubemirror
                        .getBean(MeterRegistry.class)
                        .get("kubemirror.connections.open")
                        .gauge()
                        .value();
    }

    /** Clients open several connections at first, and close those that they do not need. */
    private static void awaitOneConnection(ConfigurableApplicationContext kubemirror) {
        WaitLimit.until(() -> connections(kubemirror) == 1);
    }

    private static void awaitOneSession(ConfigurableApplicationContext kubemirror) {
        WaitLimit.until(() -> Http2Sessions.of(kubemirror).count() == 1);
    }

    /** Starts informers of client-go and waits until all of them have seen pods come. */
    private ProgramRun informers(ScriptedApiServer server, URI address, String protocol) {
        Path built = Path.of("target", "programs", "bin", "informers").toAbsolutePath();
        ExternalProgram.demand(built);
        server.create(pod("default", "first"));
        ProgramRun run =
                ProgramRun.start(
                        directory,
                        List.of(
                                built.toString(),
                                String.valueOf(INFORMERS),
                                address.toString(),
                                protocol),
                        Map.of("CA", address.getScheme().equals("https") ? "ca.pem" : ""));
        assertThat(run.output().await(lines -> lines.contains("first")))
                .as(() -> run.output().all().toString())
                .isTrue();
        server.create(pod("default", "second"));
        assertThat(run.output().await(lines -> lines.contains("second"))).isTrue();
        return run;
    }

    @Test
    void informers_of_client_go_share_a_connection_over_tls() throws Exception {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror = secure(server);
                ProgramRun _ = informers(server, url("https", kubemirror), "")) {
            awaitOneConnection(kubemirror);
        }
    }

    @Test
    void informers_of_client_go_share_a_connection_with_prior_knowledge() {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror = kubemirror(server, ON);
                ProgramRun _ = informers(server, url("http", kubemirror), "h2c")) {
            awaitOneConnection(kubemirror);
        }
    }

    @Test
    void kubectl_reads_over_tls() throws Exception {
        ExternalProgram.KUBECTL.demand();
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror = secure(server)) {
            server.create(pod("default", "first"));
            Files.createFile(directory.resolve("empty"));
            List<String> command =
                    List.of(
                            "kubectl",
                            "--kubeconfig=empty",
                            "--cache-dir=cache",
                            "--server=" + url("https", kubemirror),
                            "--certificate-authority=ca.pem",
                            "--token=any",
                            "get",
                            "--raw=/api/v1/namespaces/default/pods?watch=1");
            try (ProgramRun run = ProgramRun.start(directory, command)) {
                assertThat(run.output().await(lines -> lines.toString().contains("\"first\"")))
                        .as(() -> run.output().all().toString())
                        .isTrue();
                server.create(pod("default", "second"));
                assertThat(run.output().await(lines -> lines.toString().contains("\"second\"")))
                        .isTrue();
                awaitOneSession(kubemirror);
            }
        }
    }

    @Test
    void page_has_more_than_six_streams() throws Exception {
        ExternalProgram.CHROMIUM.demand();
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror = secure(server);
                Chromium chromium = new Chromium("--ignore-certificate-errors");
                BrowserTab tab = new BrowserTab(chromium)) {
            tab.open(url("https", kubemirror).resolve("/livez"));
            tab.await("document.body.innerText === 'ok'");
            tab.look(
                    """
                    window.told = new Set();
                    for (let i = 0; i < 20; i++) {
                        const stream = new EventSource("/api/v1/namespaces/default/pods?watch=1");
                        stream.addEventListener("ADDED", () => told.add(i));
                    }
                    """);
            server.create(pod("default", "first"));
            tab.await("told.size === 20");

            awaitOneSession(kubemirror);
        }
    }
}
