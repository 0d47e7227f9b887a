package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import module java.base;

import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.Results;

import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Response;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests share a connection, and whether one that fails may have been sent. */
class PassThroughClientTest {

    private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    /** The number of the connection that each request has come on. */
    private final BlockingQueue<Integer> connections = new LinkedBlockingQueue<>();

    private final AtomicInteger opened = new AtomicInteger();

    /** Completed when the server has closed the first connection after its first answer. */
    private final CompletableFuture<Boolean> closed = new CompletableFuture<>();

    private boolean closing;
    @AutoClose private final LoopbackServer server = new LoopbackServer(this::serve);

    /** Answers each request without a body, as the test says. */
    private void serve(Socket socket) throws IOException {
        int number = opened.incrementAndGet();
        InputStream input = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        for (int next = input.read(); next >= 0; next = input.read()) {
            head.append((char) next);
            if (head.toString().endsWith("\r\n\r\n")) {
                head.setLength(0);
                connections.add(number);
                socket.getOutputStream().write(ANSWER.getBytes(US_ASCII));
                if (closing && number == 1) {
                    socket.close();
                    closed.complete(true);
                    return;
                }
            }
        }
    }

    private KubeClient client() {
        return UpstreamSamples.client("http://127.0.0.1:" + server.port());
    }

    private static PassedRequest request(String method, String token) {
        return new PassedRequest(
                CredentialOwner.CLIENT,
                method,
                "/api/v1/pods",
                Map.of("Authorization", List.of("Bearer " + token)),
                null,
                null,
                Duration.ofSeconds(30));
    }

    private static String body(KubeClient client, String method, String token) {
        try (PassedResponse response = Results.value(client.pass(request(method, token)))) {
            return new String(response.body().readAllBytes(), US_ASCII);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    @Test
    void answer_that_is_not_read_to_its_end_ends_the_connection() {
        KubeClient client = client();
        Results.value(client.pass(request("GET", "a"))).close();

        assertThat(body(client, "GET", "a")).isEqualTo("ok");
        assertThat(connections).containsExactly(1, 2);
    }

    @Test
    void only_requests_with_the_same_credentials_share_a_connection() {
        KubeClient client = client();
        for (String token : List.of("a", "b", "a", "b")) {
            assertThat(body(client, "GET", token)).isEqualTo("ok");
        }

        assertThat(connections).containsExactly(1, 2, 1, 2);
    }

    /** A write is not sent twice, and of this one nothing was sent. */
    @Test
    void write_after_the_server_has_closed_an_idle_connection_takes_another_one()
            throws IOException {
        closing = true;
        AtomicLong now = new AtomicLong();
        HttpUrl url = HttpUrl.get("http://127.0.0.1:" + server.port());
        PassThroughClient client =
                new PassThroughClient(url, new OkHttpClient(), Headers.of(), now::get);
        send(client);
        assertThat(closed.join()).isTrue();

        now.set(Duration.ofSeconds(1).toNanos());
        send(client);
        assertThat(connections).containsExactly(1, 2);
    }

    private static void send(PassThroughClient client) throws IOException {
        try (Response response = client.call(request("POST", "a"), () -> {}).execute()) {
            assertThat(response.body().string()).isEqualTo("ok");
        }
    }

    /** With TLS, the server ends the connection, or the client leaves, before it is established. */
    @ParameterizedTest
    @CsvSource({
        "https, false, REFUSED",
        "https, true, REFUSED",
        "http, false, BROKEN",
        "http, true, BROKEN"
    })
    void write_may_have_been_done_if_it_was_sent(String scheme, boolean clientLeaves, Kind kind)
            throws Exception {
        CompletableFuture<Thread> writer = new CompletableFuture<>();
        try (LoopbackServer server =
                new LoopbackServer(
                        socket -> {
                            socket.getInputStream().read();
                            if (clientLeaves) {
                                writer.join().interrupt();
                                socket.getInputStream().readAllBytes();
                            }
                        })) {
            KubeClient client = UpstreamSamples.client(scheme + "://127.0.0.1:" + server.port());
            FutureTask<Kind> write =
                    new FutureTask<>(
                            () ->
                                    ((Unreachable)
                                                    Results.failure(
                                                            client.pass(request("POST", "a"))))
                                            .kind());
            writer.complete(Thread.ofVirtual().start(write));

            assertThat(write.get()).isEqualTo(kind);
        }
    }
}
