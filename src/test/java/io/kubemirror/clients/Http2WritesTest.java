package io.kubemirror.clients;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * Bodies without a length arrive complete at the API server over HTTP/2, where no header announces
 * them.
 */
@WithApiServer(secure = true)
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(180)
class Http2WritesTest {

    private static final String JSON = "application/json";
    private static final String MERGE_PATCH = "application/merge-patch+json";

    private final TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
    private final Path ca;
    private final String token;
    private final RestClient direct;
    private final String maps;
    private final Map<String, ConfigurableApplicationContext> kubemirrors;

    Http2WritesTest(ApiServer server, TestNamespace namespace, @TempDir Path directory)
            throws Exception {
        String config = server.kubeconfig().orElseThrow();
        Path file = Files.writeString(directory.resolve("config"), config);
        ca = Files.writeString(directory.resolve("ca.pem"), certificate.certificatePem());
        token = server.token();
        direct = server.client();
        maps = "/api/v1/namespaces/" + namespace.name() + "/configmaps";
        kubemirrors = Map.of("client", start(file, "client"), "own", start(file, "own"));
    }

    private ConfigurableApplicationContext start(Path kubeconfig, String mode) {
        return ApplicationLauncher.secure(
                certificate,
                "kubemirror.upstream.server=",
                "kubemirror.upstream.kubeconfig=" + kubeconfig,
                "kubemirror.resources[0].resource=configmaps",
                "kubemirror.pass-through.mode=" + mode,
                "server.http2.enabled=true");
    }

    @AfterAll
    void close() {
        kubemirrors.values().forEach(ConfigurableApplicationContext::close);
    }

    private String url(String mode) {
        return "https://localhost:"
                + ApplicationLauncher.port(Objects.requireNonNull(kubemirrors.get(mode)));
    }

    /** Sends the parts of a body one by one, and returns the code of the response and its body. */
    private String send(
            String client, String method, String address, String type, List<String> parts)
            throws Exception {
        if (client.equals("java")) {
            return sendWithJava(method, address, type, parts);
        }
        List<String> command = new ArrayList<>();
        if (client.equals("go")) {
            Path built = Path.of("target", "programs", "bin", "upload").toAbsolutePath();
            ExternalProgram.demand(built);
            command.add(built.toString());
        } else {
            ExternalProgram.NODE.demand();
            Path script = Path.of("src", "test", "javascript", "upload.mjs").toAbsolutePath();
            command.addAll(List.of("node", script.toString()));
        }
        command.addAll(List.of(ca.toString(), token, method, address, type));
        command.addAll(parts);
        try (ProgramRun run = ProgramRun.start(Objects.requireNonNull(ca.getParent()), command)) {
            return run.text();
        }
    }

    private String sendWithJava(String method, String address, String type, List<String> parts)
            throws Exception {
        List<InputStream> streams =
                parts.stream()
                        .<InputStream>map(
                                part ->
                                        new ByteArrayInputStream(
                                                part.getBytes(StandardCharsets.UTF_8)))
                        .toList();
        HttpRequest.BodyPublisher body =
                parts.isEmpty()
                        ? BodyPublishers.noBody()
                        : BodyPublishers.ofInputStream(
                                () -> new SequenceInputStream(Collections.enumeration(streams)));
        try (HttpClient http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_2)
                        .sslContext(certificate.trusting())
                        .build()) {
            HttpResponse<String> response =
                    http.send(
                            HttpRequest.newBuilder(URI.create(address))
                                    .method(method, body)
                                    .header("Authorization", "Bearer " + token)
                                    .header("Content-Type", type)
                                    .build(),
                            BodyHandlers.ofString());
            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            return response.statusCode() + "\n" + response.body();
        }
    }

    /** A config map whose value comes last. */
    private static List<String> configMap(String name, String value) {
        return List.of(
                "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"",
                name,
                "\"},\"data\":{\"k\":\"",
                value,
                "\"}}");
    }

    private String stored(String path) {
        return direct.get(path).json().path("data").path("k").asString();
    }

    @ParameterizedTest
    @CsvSource({"node,client", "node,own", "go,client", "go,own", "java,client", "java,own"})
    void bodies_in_parts_are_complete_at_the_server(String client, String mode) throws Exception {
        String name = client + "-" + mode;
        String collection = url(mode) + maps;
        String path = maps + "/" + name;
        String object = url(mode) + path;

        assertThat(send(client, "POST", collection, JSON, configMap(name, "created")))
                .startsWith("201");
        assertThat(stored(path)).isEqualTo("created");
        assertThat(send(client, "PUT", object, JSON, configMap(name, "replaced")))
                .startsWith("200");
        assertThat(stored(path)).isEqualTo("replaced");
        List<String> patch = List.of("{\"data\":", "{\"k\":\"patched\"", "}}");
        assertThat(send(client, "PATCH", object, MERGE_PATCH, patch)).startsWith("200");
        assertThat(stored(path)).isEqualTo("patched");
        List<String> dry =
                List.of(
                        "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"",
                        ",\"dryRun\"",
                        ":[\"All\"]}");
        assertThat(send(client, "DELETE", object, JSON, dry)).startsWith("200");
        assertThat(direct.get(path).code()).as("after a dry run").isEqualTo(200);
        assertThat(send(client, "DELETE", object, JSON, List.of())).startsWith("200");
        assertThat(direct.get(path).code()).isEqualTo(404);
    }
}
