package io.kubemirror.feature.access;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.Closer;
import io.kubemirror.testing.ExternalAddress;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Tests the whole application from the network: another address, no token, a revoked token. */
@ExtendWith(OutputCaptureExtension.class)
class SecuredApplicationTest {

    private static final String LIST = "/api/v1/pods";

    @TempDir private Path directory;
    @AutoClose private final Closer open = new Closer();
    private final ScriptedApiServer server = open.add(ScriptedApiServer.create());

    @Test
    void tokens_and_permissions_are_reviewed(CapturedOutput output) throws Exception {
        server.knowToken("t-anna", "anna", "dev");
        server.permit("anna", "list pods", "watch pods", "get pods a/x", "get /version");
        ConfigurableApplicationContext application =
                launch(
                        "kubemirror.access.authentication=token-review",
                        "kubemirror.access.recheck-interval=1s",
                        "kubemirror.access.cache.allowed=0s");
        String api = ExternalAddress.demand() + ":" + port(application, "local.server.port");

        assertThat(get(api, LIST, "").code()).isEqualTo(401);
        assertThat(get(api, LIST, "t-stolen").code()).isEqualTo(401);
        assertThat(get(api, LIST, "t-anna").body()).contains("\"name\":\"x\"");
        assertThat(get(api, "/api/v1/namespaces/a/pods/x", "t-anna").code()).isEqualTo(200);
        assertThat(get(api, "/api/v1/namespaces/a/pods/y", "t-anna").code()).isEqualTo(403);
        assertThat(get(api, "/api/v1/namespaces/a/pods", "t-anna").body())
                .contains(
                        "\"message\":\"pods is forbidden: User \\\"anna\\\" cannot list resource"
                            + " \\\"pods\\\" in API group \\\"\\\" in the namespace \\\"a\\\"\"");

        try (WatchReader watch = client(api, "t-anna").watch(LIST + "?watch=1")) {
            assertThat(watch.code()).isEqualTo(200);
            server.forgetToken("t-anna");
            watch.next();
            assertThat(watch.nextLine()).as("the stream ends by itself").isEmpty();
        }
        assertThat(get(api, LIST, "t-anna").code()).isEqualTo(401);
        assertThat(output).doesNotContain("t-anna").doesNotContain("t-stolen");
    }

    @Test
    void management_port_authorizes_remote_requests_by_token() throws Exception {
        server.knowToken("t-anna", "anna");
        server.permit("anna", "get /actuator/mirrors");
        ConfigurableApplicationContext application =
                launch("kubemirror.access.authentication=token-review");
        String management =
                ExternalAddress.demand() + ":" + port(application, "local.management.port");

        assertThat(get(management, "/actuator/health/liveness", "").code()).isEqualTo(200);
        assertThat(get(management, "/actuator/prometheus", "").body())
                .contains("kubemirror_access_reviews_total");
        assertThat(get(management, "/actuator/mirrors", "").code()).isEqualTo(401);
        assertThat(get(management, "/actuator/mirrors", "t-anna").code()).isEqualTo(200);
        assertThat(get(management, "/actuator", "t-anna").code()).isEqualTo(403);
        String local = "127.0.0.1:" + port(application, "local.management.port");
        assertThat(get(local, "/actuator/mirrors", "").code()).isEqualTo(200);
    }

    @Test
    void permission_for_a_path_that_looks_like_a_host_is_none_for_an_endpoint() throws Exception {
        server.knowToken("t-anna", "anna");
        server.permit("anna", "get //x/actuator/loggers");
        // On a port of its own, Jetty refuses such a path.
        ConfigurableApplicationContext application =
                launch("kubemirror.access.authentication=token-review", "management.server.port=");
        String api = ExternalAddress.demand() + ":" + port(application, "local.server.port");

        RestResponse levels = get(api, "//x/actuator/loggers", "t-anna");

        assertThat(levels.code()).isEqualTo(404);
        assertThat(levels.body()).doesNotContain("ROOT");
    }

    @Test
    void client_certificate_authenticates_the_client() throws Exception {
        TestCertificates own = TestCertificates.of("kubemirror", "127.0.0.1");
        TestCertificates anna = TestCertificates.of("anna,O=dev", "anna");
        TestCertificates stranger = TestCertificates.of("anna,O=dev", "anna");
        server.permit("anna", "list pods");
        List<String> settings = new ArrayList<>(tls(own));
        settings.add(
                "spring.ssl.bundle.pem.own.truststore.certificate="
                        + write("clients.crt", anna.certificatePem()));
        settings.add("server.ssl.client-auth=want");
        settings.add("kubemirror.access.authentication=client-certificate");
        String api = api(launch(settings.toArray(String[]::new)));

        assertThat(getSecurely(anna.serving(own), api, LIST)).isEqualTo(200);
        assertThat(getSecurely(anna.serving(own), api, "/version")).isEqualTo(403);
        assertThat(getSecurely(own.trusting(), api, LIST)).isEqualTo(401);
        assertThat(getSecurely(stranger.serving(own), api, LIST)).isNotEqualTo(200);
    }

    @Test
    void rotated_server_certificate_is_reloaded_at_run_time() throws Exception {
        TestCertificates first = TestCertificates.of("first", "127.0.0.1");
        TestCertificates second = TestCertificates.of("second", "127.0.0.1");
        List<String> settings = new ArrayList<>(tls(first));
        settings.add("spring.ssl.bundle.pem.own.reload-on-update=true");
        settings.add("spring.ssl.bundle.watch.file.quiet-period=50ms");
        ConfigurableApplicationContext application = launch(settings.toArray(String[]::new));
        int port = port(application, "local.server.port");
        assertThat(isServed(first, port)).isTrue();

        write("own.key", second.keyPem());
        write("own.crt", second.certificatePem());

        Awaitility.await().until(() -> isServed(second, port));
        assertThat(isServed(first, port)).isFalse();
    }

    private List<String> tls(TestCertificates own) throws Exception {
        String store = "spring.ssl.bundle.pem.own.keystore.";
        return List.of(
                "server.ssl.bundle=own",
                store + "certificate=" + write("own.crt", own.certificatePem()),
                store + "private-key=" + write("own.key", own.keyPem()));
    }

    private String write(String file, String text) throws Exception {
        return "file:" + Files.writeString(directory.resolve(file), text);
    }

    private static boolean isServed(TestCertificates certificate, int port) {
        try (Socket socket =
                certificate.trusting().getSocketFactory().createSocket("127.0.0.1", port)) {
            ((SSLSocket) socket).startHandshake();
            return true;
        } catch (Exception untrusted) {
            return false;
        }
    }

    private ConfigurableApplicationContext launch(String... settings) {
        server.create(pod("a", "x"));
        ConfigurableApplicationContext application =
                open.add(
                        ApplicationLauncher.mirroring(
                                server.url(),
                                "pods",
                                ApplicationLauncher.and(settings, "server.address=0.0.0.0")));
        var _ = ApplicationLauncher.ready(application);
        return application;
    }

    private static String api(ConfigurableApplicationContext application) {
        return "127.0.0.1:" + port(application, "local.server.port");
    }

    private static int port(ConfigurableApplicationContext application, String port) {
        return application.getEnvironment().getRequiredProperty(port, int.class);
    }

    private static RestResponse get(String authority, String path, String token) {
        return client(authority, token).get(path);
    }

    private static RestClient client(String authority, String token) {
        return RestClient.of(URI.create("http://" + authority)).withToken(token);
    }

    /** The code of the answer, 0 if TLS fails. */
    private static int getSecurely(SSLContext tls, String authority, String path) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("https://" + authority + path)).build();
        try (HttpClient client = HttpClient.newBuilder().sslContext(tls).build()) {
            return client.send(request, BodyHandlers.discarding()).statusCode();
        } catch (IOException failed) {
            return 0;
        }
    }
}
