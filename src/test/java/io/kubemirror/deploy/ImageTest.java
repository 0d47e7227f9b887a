package io.kubemirror.deploy;

import static io.kubemirror.testground.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.RestClient;
import io.kubemirror.testground.TestNamespace;
import io.kubemirror.testground.WithApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The image works, as far as can be seen without an engine for containers: the steps of the
 * Dockerfile are taken, and what they leave is started as the engine would.
 */
@Tag("image")
@WithApiServer(secure = true)
@TestInstance(Lifecycle.PER_CLASS)
class ImageTest {

    private final Dockerfile dockerfile = Dockerfile.read();
    private final ApiServer server;
    private final String namespace;
    private final Path directory;
    private final Image image;

    ImageTest(ApiServer server, TestNamespace namespace, @TempDir Path directory) throws Exception {
        this.server = server;
        this.namespace = namespace.name();
        this.directory = directory;
        image = Image.build(dockerfile, directory.resolve("stages"));
    }

    @BeforeAll
    void fill() {
        server.create(pod(namespace, "a"));
    }

    @Test
    void it_serves_a_cluster_and_writes_nothing_into_its_file_system() throws Exception {
        Map<String, String> before = image.inventory();
        int api = freePort();
        int management = freePort();
        Process process = start(api, management);
        try {
            awaitHealthy(management, process);
            RestClient client = RestClient.of(URI.create("http://127.0.0.1:" + api));

            assertThat(client.get("/api/v1/namespaces/" + namespace + "/pods").body())
                    .contains("\"name\":\"a\"");
        } finally {
            process.destroy();
            process.waitFor();
        }
        assertThat(image.inventory()).isEqualTo(before);
        assertThat(healthy(management)).isFalse();
    }

    /** With a cache that must be usable; without that the JVM would say nothing and be slow. */
    private Process start(int api, int management) throws Exception {
        Path kubeconfig = directory.resolve("kubeconfig");
        Files.writeString(kubeconfig, server.kubeconfig().orElseThrow());
        List<String> command = new ArrayList<>(dockerfile.image().only("ENTRYPOINT").words());
        command.add("--kubemirror.upstream.kubeconfig=" + kubeconfig);
        command.add("--kubemirror.resources[0].resource=pods");
        command.add("--server.port=" + api);
        command.add("--management.server.port=" + management);
        return image.start(command, Map.of("JDK_JAVA_OPTIONS", "@jvm.options -XX:AOTMode=on"));
    }

    private void awaitHealthy(int management, Process process) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> !process.isAlive() || healthy(management));
        assertThat(process.isAlive()).as(() -> output(process)).isTrue();
    }

    private static String output(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private boolean healthy(int management) throws Exception {
        List<String> command = dockerfile.image().only("HEALTHCHECK").words();
        Map<String, String> port = Map.of("MANAGEMENT_SERVER_PORT", Integer.toString(management));
        return image.start(command, port).waitFor() == 0;
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
