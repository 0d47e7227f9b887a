package io.kubemirror.feature.forward;

import static io.kubemirror.testing.containers.ContainerServer.line;
import static io.kubemirror.testing.containers.ContainerServer.lines;
import static io.kubemirror.testing.containers.ContainerServer.text;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.containers.ContainerServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Bodies that no header announces pass through over HTTP/2 as they arrive. */
@TestInstance(Lifecycle.PER_CLASS)
class PassThroughHttp2Test {

    private final TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
    @AutoClose private final ContainerServer server = ContainerServer.alone();
    @AutoClose private final ConfigurableApplicationContext kubemirror;
    @AutoClose private final HttpClient client;

    PassThroughHttp2Test() throws Exception {
        kubemirror =
                ApplicationLauncher.secure(
                        certificate,
                        "kubemirror.upstream.server=" + server.url(),
                        "kubemirror.resources[0].resource=configmaps",
                        "kubemirror.pass-through.mode=own",
                        "server.http2.enabled=true");
        client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_2)
                        .sslContext(certificate.trusting())
                        .build();
    }

    private static HttpRequest.Builder request(
            ConfigurableApplicationContext application, String path) {
        int port = ApplicationLauncher.port(application);
        return HttpRequest.newBuilder(URI.create("https://localhost:" + port + path));
    }

    private static void answer(OutputStream out) throws IOException {
        out.write(lines("HTTP/1.1 200 OK", "Connection: close", "Content-Length: 0"));
    }

    /** Sends a body whose parts are submitted later. */
    private CompletableFuture<HttpResponse<Void>> send(
            String path, SubmissionPublisher<ByteBuffer> parts) {
        HttpRequest request =
                request(kubemirror, path).POST(BodyPublishers.fromPublisher(parts)).build();
        var response = client.sendAsync(request, BodyHandlers.discarding());
        // It drops what nobody has asked for yet.
        WaitLimit.until(parts::hasSubscribers);
        return response;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text(text));
    }

    @Test
    void parts_arrive_while_the_client_has_not_sent_all() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        server.on(
                "/parts",
                (_, in, out) -> {
                    for (int i = 0; i < 6; i++) {
                        received.add(line(in));
                    }
                    answer(out);
                });
        CompletableFuture<HttpResponse<Void>> response;
        try (SubmissionPublisher<ByteBuffer> parts = new SubmissionPublisher<>()) {
            response = send("/parts", parts);
            parts.submit(bytes("first"));
            assertThat(received.take()).isEqualTo("5");
            assertThat(received.take()).isEqualTo("first");
            parts.submit(bytes("second"));
        }

        assertThat(response.get().statusCode()).isEqualTo(200);
        assertThat(received).containsExactly("6", "second", "0", "");
    }

    @Test
    void body_that_is_cut_off_has_no_end() throws Exception {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        server.on(
                "/cut",
                (_, in, _) -> {
                    received.add(line(in));
                    received.add(line(in));
                    received.add(new String(in.readAllBytes(), UTF_8));
                });
        try (SubmissionPublisher<ByteBuffer> parts = new SubmissionPublisher<>()) {
            var response = send("/cut", parts);
            parts.submit(bytes("first"));
            assertThat(received.take()).isEqualTo("5");
            assertThat(received.take()).isEqualTo("first");
            parts.closeExceptionally(new IOException("cut off"));

            assertThat(received.take()).isEmpty();
            assertThat(response).failsWithin(WaitLimit.GENEROUS);
        }
    }

    /** Answers a watch with an event, and then with what is added, until it is empty. */
    private BlockingQueue<String> watched() {
        BlockingQueue<String> further = new LinkedBlockingQueue<>(List.of("{}\n"));
        server.on("/watched", ContainerServer.following(further));
        return further;
    }

    /** Opens a watch, and reads its first event. */
    private InputStream watch(ConfigurableApplicationContext application) throws Exception {
        HttpRequest request = request(application, "/api/v1/watched?watch=true").build();
        InputStream events = client.send(request, BodyHandlers.ofInputStream()).body();
        assertThat(events.readNBytes(3)).hasSize(3);
        return events;
    }

    /** Jetty asks a request only once whether its stream may be idle. */
    @Test
    void answer_and_event_may_take_longer_than_the_idle_timeout() throws Exception {
        BlockingQueue<String> further = watched();
        CompletableFuture<Boolean> late = new CompletableFuture<>();
        server.on(
                "/late",
                (_, _, out) -> {
                    late.join();
                    answer(out);
                });
        try (ConfigurableApplicationContext impatient =
                        ApplicationLauncher.secure(
                                certificate,
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.resources[0].resource=configmaps",
                                "kubemirror.pass-through.mode=own",
                                "server.http2.enabled=true",
                                "server.jetty.connection-idle-timeout=2s");
                InputStream events = watch(impatient)) {
            CompletableFuture<HttpResponse<Void>> answer =
                    client.sendAsync(
                            request(impatient, "/late").build(), BodyHandlers.discarding());
            for (int i = 0; i < 3; i++) {
                // Lasts until it has been idle for too long.
                try (RawClient idle = RawClient.to(ApplicationLauncher.port(impatient))) {
                    assertThat(idle.untilClosed()).isEmpty();
                }
            }
            late.complete(true);
            assertThat(answer.get().statusCode()).isEqualTo(200);
            further.add("[]\n");
            assertThat(events.readNBytes(3)).isEqualTo(text("[]\n"));
            further.add("");
            assertThat(events.readAllBytes()).isEmpty();
        }
    }

    @Test
    void request_without_a_body_stays_without_one() throws Exception {
        server.on("/none", (_, _, out) -> answer(out));
        server.received().clear();
        for (String method : List.of("POST", "DELETE")) {
            HttpRequest request =
                    request(kubemirror, "/none").method(method, BodyPublishers.noBody()).build();
            client.send(request, BodyHandlers.discarding());
            assertThat(server.received().take().headers()).doesNotContainKey("transfer-encoding");
        }
    }
}
