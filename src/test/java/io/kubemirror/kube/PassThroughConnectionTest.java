package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import module java.base;

import io.kubemirror.kube.PassThroughApi.CredentialOwner;
import io.kubemirror.kube.PassThroughApi.PassedRequest;
import io.kubemirror.kube.PassThroughApi.PassedResponse;
import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No client gets what the API server, or a balancer before it, has sent to another one. */
@Timeout(60)
class PassThroughConnectionTest {

    private static final String SECRET = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret";
    private static final String ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private final AtomicReference<String> answer = new AtomicReference<>(ANSWER);

    /** The number of the connection that each request has come on. */
    private final BlockingQueue<Integer> connections = new LinkedBlockingQueue<>();

    private final AtomicInteger opened = new AtomicInteger();
    @AutoClose private final LoopbackServer server = new LoopbackServer(this::serve);
    @TempDir private Path directory;

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
                socket.getOutputStream().write(answer.get().getBytes(US_ASCII));
            }
        }
    }

    private KubeClient client() {
        return KubeClient.connect(
                new UpstreamSettings("http://127.0.0.1:" + server.port(), null, null),
                new ProcessEnvironment(Map.of(), directory, directory),
                ClientLimits.usual("1"));
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

    @ParameterizedTest
    @CsvSource({
        "GET, 'HTTP/1.1 200 OK|Content-Length: 2||ok', ok",
        "GET, 'HTTP/1.1 200 OK|Transfer-Encoding: chunked||2|ok|0||', ok",
        "HEAD, 'HTTP/1.1 200 OK|Content-Length: 6||', ''",
        "GET, 'HTTP/1.1 204 No Content|Content-Length: 6||', ''",
        "GET, 'HTTP/1.1 204 No Content||', ''",
        "GET, 'HTTP/1.1 304 Not Modified|Content-Length: 6||', ''"
    })
    void answer_that_is_too_long_reaches_nobody(String method, String text, String body) {
        KubeClient client = client();
        answer.set(text.replace("|", "\r\n") + SECRET);
        assertThat(body(client, method, "a")).isEqualTo(body);

        answer.set(ANSWER);
        assertThat(body(client, "GET", "a")).isEqualTo("ok");
        assertThat(connections).containsExactly(1, 2);
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK|Content-Length: x||",
                "HTTP/1.1 200 OK|Content-Length: -1||",
                "HTTP/1.1 200 OK|Content-Length: 2|Content-Length: 3||ok",
                "HTTP/1.1 200 OK|Content-Length: 2|Transfer-Encoding: chunked||2|ok|0||",
                "HTTP/1.1 200 OK|Transfer-Encoding: gzip||ok",
                "HTTP/1.1 200 OK|Content-Length : 2||ok",
                "HTTP/1.1 200 OK| folded: 2||ok",
                "HTTP/2 200 OK||",
                "secret||"
            })
    void head_with_two_meanings_is_refused(String text) {
        answer.set(text.replace("|", "\r\n"));

        assertThat(Results.failure(client().pass(request("GET", "a"))))
                .isInstanceOfSatisfying(
                        Unreachable.class,
                        broken -> assertThat(broken.kind()).isEqualTo(Kind.BROKEN));
    }

    @Test
    void head_that_kubemirror_could_not_send_on_is_refused() {
        String large = "X-Large: " + "x".repeat(PassedHead.MAX_LENGTH) + "\r\n";
        answer.set("HTTP/1.1 200 OK\r\n" + large + "Content-Length: 0\r\n\r\n");

        assertThat(Results.failure(client().pass(request("GET", "a"))).summary())
                .contains("the head of the response is too large");
    }
}
