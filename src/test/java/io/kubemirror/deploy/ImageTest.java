package io.kubemirror.deploy;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.ServerPorts;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * Tests the image without a container engine: runs the steps of the Dockerfile and starts the
 * result as an engine would.
 */
@Tag("image")
@WithApiServer(secure = true)
@TestInstance(Lifecycle.PER_CLASS)
class ImageTest {

    private static final Set<String> LICENSES =
            Set.of("Apache-2.0", "BSD-2-Clause", "EPL-2.0", "MIT");

    private final Dockerfile dockerfile = Dockerfile.read();
    private final ApiServer server;
    private final String namespace;
    private final Path directory;
    private final ContainerImage image;
    private final int api = ServerPorts.one();
    private final int management = ServerPorts.one();
    private final RestClient client = RestClient.of(URI.create("http://127.0.0.1:" + api));
    private final List<Process> started = new ArrayList<>();

    ImageTest(ApiServer server, TestNamespace namespace, @TempDir Path directory) throws Exception {
        this.server = server;
        this.namespace = namespace.name();
        this.directory = directory;
        server.create(pod(this.namespace, "a"));
        image = ContainerImage.build(dockerfile, directory.resolve("stages"));
    }

    @Test
    void image_serves_a_cluster_without_writing_to_its_file_system() throws Exception {
        Map<String, String> before = image.inventory();
        start("--kubemirror.resources[0].resource=pods");

        assertThat(client.get("/api/v1/namespaces/" + namespace + "/pods").body())
                .contains("\"name\":\"a\"");
        end();
        assertThat(image.inventory()).isEqualTo(before);
        assertThat(healthy()).isFalse();
    }

    /** A thread that waits below native code would keep the platform thread that carries it. */
    @Test
    void clients_that_do_not_read_their_lists_delay_no_other() throws Exception {
        for (int i = 0; i < 16; i++) {
            server.create(configMap(namespace, "large" + i).data("text", "x".repeat(900_000)));
        }
        start("--kubemirror.resources[0].resource=configmaps");
        String path = "/api/v1/namespaces/" + namespace + "/configmaps";
        List<RawClient> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 24 + 3 * Runtime.getRuntime().availableProcessors(); i++) {
                slow.add(RawClient.to(api).ask(path));
            }
            slow.forEach(client -> assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK"));

            assertThat(client.get(path + "/large0").code()).isEqualTo(200);
        } finally {
            slow.forEach(RawClient::close);
        }
    }

    /** A license that is new here is added deliberately. */
    @Test
    void image_has_a_bill_of_materials_with_known_licenses_only() throws Exception {
        Path bill = image.root().resolve("kubemirror/kubemirror.cdx.json");
        List<JsonNode> components =
                JsonMapper.shared().readTree(bill).path("components").valueStream().toList();

        assertThat(components).hasSizeGreaterThan(50).allMatch(ImageTest::isLicensed);
    }

    private static boolean isLicensed(JsonNode component) {
        return component
                .path("licenses")
                .valueStream()
                .map(one -> one.path("license"))
                .map(one -> one.path("id").asString(one.path("name").asString("")))
                .anyMatch(LICENSES::contains);
    }

    /** Which parts of Spring Boot there are was settled when the jar was built. */
    @Test
    void image_serves_tls_with_the_chart_configuration() throws Exception {
        TestCertificates certificate = TestCertificates.of("mirror", "127.0.0.1");
        String bundle = "--spring.ssl.bundle.pem.kubemirror.keystore.";
        configure();
        start(
                "--spring.config.additional-location=file:" + directory + "/",
                bundle + "certificate=" + file("tls.crt", certificate.certificatePem()),
                bundle + "private-key=" + file("tls.key", certificate.keyPem()));
        try (HttpClient client =
                HttpClient.newBuilder().sslContext(certificate.trusting()).build()) {
            URI version = URI.create("https://127.0.0.1:" + api + "/version");

            assertThat(
                            client.send(
                                            HttpRequest.newBuilder(version).build(),
                                            BodyHandlers.discarding())
                                    .statusCode())
                    .isEqualTo(200);
        }
    }

    private void configure() throws Exception {
        Chart chart = Chart.of("kubemirror", directory.resolve("charts"), "mirror", "shop");
        ChartValues values = ChartValues.set("small").mode("cluster");
        file("application.yaml", chart.render(values).application());
    }

    private Path file(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text);
    }

    @AfterEach
    void end() {
        started.forEach(process -> process.destroyForcibly().onExit().join());
    }

    /** With a cache that must be usable; without that the JVM would say nothing and be slow. */
    private void start(String... settings) throws Exception {
        List<String> command = new ArrayList<>(dockerfile.image().only("ENTRYPOINT").words());
        command.add(
                "--kubemirror.upstream.kubeconfig="
                        + file("kubeconfig", server.kubeconfig().orElseThrow()));
        command.add("--server.port=" + api);
        command.add("--management.server.port=" + management);
        command.addAll(List.of(settings));
        Process process =
                image.start(command, Map.of("JDK_JAVA_OPTIONS", "@jvm.options -XX:AOTMode=on"));
        started.add(process);
        awaitHealthy(process);
    }

    private void awaitHealthy(Process process) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(5))
                .until(() -> !process.isAlive() || healthy());
        assertThat(process.isAlive()).as(() -> output(process)).isTrue();
    }

    private static String output(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private boolean healthy() throws Exception {
        List<String> command = new ArrayList<>(dockerfile.image().only("HEALTHCHECK").words());
        command.add("http://127.0.0.1:" + management);
        return image.start(command, Map.of()).waitFor() == 0;
    }
}
