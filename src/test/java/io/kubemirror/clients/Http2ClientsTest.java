package io.kubemirror.clients;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.micrometer.core.instrument.MeterRegistry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

/** Informers of client-go over HTTP/2 and TLS. */
class Http2ClientsTest {

    @Test
    void informers_of_client_go_share_a_connection(@TempDir Path directory) throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        Files.writeString(directory.resolve("ca.pem"), certificate.certificatePem());
        String[] settings =
                ApplicationLauncher.and(
                        ApplicationLauncher.tls(certificate), "server.http2.enabled=true");
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror =
                        ApplicationLauncher.mirroring(server.url(), "pods", settings)) {
            server.create(pod("default", "first"));
            String url = "https://localhost:" + ApplicationLauncher.port(kubemirror);
            try (ProgramRun run = informers(directory, url)) {
                assertThat(run.output().await(lines -> lines.contains("first")))
                        .as(() -> run.output().all().toString())
                        .isTrue();
                server.create(pod("default", "second"));
                assertThat(run.output().await(lines -> lines.contains("second"))).isTrue();
                // Clients open several connections at first, and close those that they do not need.
                WaitLimit.until(() -> connections(kubemirror) == 1);
            }
        }
    }

    private static ProgramRun informers(Path directory, String url) {
        Path built = Path.of("target", "programs", "bin", "informers").toAbsolutePath();
        ExternalProgram.demand(built);
        List<String> command = List.of(built.toString(), "30", url);
        return ProgramRun.start(directory, command, Map.of("CA", "ca.pem"));
    }

    private static int connections(ConfigurableApplicationContext kubemirror) {
        return (int)
                kubemirror
                        .getBean(MeterRegistry.class)
                        .get("kubemirror.connections.open")
                        .gauge()
                        .value();
    }
}
