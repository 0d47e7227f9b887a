package io.kubemirror.feature.forward;

import static io.kubemirror.testing.containers.ContainerServer.answer;
import static io.kubemirror.testing.containers.ContainerServer.line;
import static io.kubemirror.testing.containers.ContainerServer.lines;
import static io.kubemirror.testing.containers.ContainerServer.text;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.containers.ContainerServer;
import io.kubemirror.testing.containers.ContainerServer.RawHead;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Streams and changes of the protocol pass through as they are, in both directions. */
@TestInstance(Lifecycle.PER_CLASS)
class PassThroughStreamsTest {

    @AutoClose private final ContainerServer server = ContainerServer.alone();

    @AutoClose
    private final ConfigurableApplicationContext kubemirror =
            ApplicationLauncher.mirroring(
                    server.url(), "configmaps", "kubemirror.pass-through.mode=client");

    private RawClient connect() {
        return RawClient.to(ApplicationLauncher.port(kubemirror));
    }

    static String request(String line, String... headers) {
        return line
                + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n"
                + String.join("", headers)
                + "\r\n";
    }

    @Test
    void each_chunk_arrives_complete_while_the_response_goes_on() throws Exception {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        server.on("/following", ContainerServer.following(lines));
        try (RawClient client = connect().send(request("GET /following"))) {
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
            lines.add("one");
            assertThat(client.read(8)).isEqualTo("3\r\none\r\n");
            lines.add("second");
            assertThat(client.read(11)).isEqualTo("6\r\nsecond\r\n");
            lines.add("");
            assertThat(client.read(5)).isEqualTo("0\r\n\r\n");
            assertAlive(client);
        }
    }

    /** Another request on the same connection is answered. */
    private static void assertAlive(RawClient client) throws IOException {
        client.send(request("GET /livez"));
        assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
    }

    @Test
    void bytes_pass_in_both_directions_after_a_change_of_the_protocol() throws Exception {
        server.on("/echo", PassThroughStreamsTest::echo);
        for (String protocol : new String[] {"SPDY/3.1", "websocket"}) {
            try (RawClient client =
                    connect()
                            .send(
                                    request(
                                            "POST /echo",
                                            "Connection: Upgrade\r\n",
                                            "Upgrade: " + protocol + "\r\n",
                                            "Content-Length: 0\r\n"))) {
                assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 101 Switching Protocols");
                for (int i = 0; i < 100; i++) {
                    client.send("message " + i + "\n");
                    assertThat(client.line()).isEqualTo("message " + i);
                }
                // The client has nothing more to say, but still gets the end.
                client.closeOutput();
                assertThat(client.line()).isEqualTo("end");
                assertThat(client.untilClosed()).isEmpty();
            }
        }
        WaitLimit.until(() -> server.connections() <= 3);
    }

    private static void echo(RawHead head, InputStream in, OutputStream out) throws IOException {
        out.write(
                text(
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "
                                + head.header("upgrade")
                                + "\r\n\r\n"));
        in.transferTo(out);
        out.write(text("end\n"));
    }

    @Test
    void bytes_that_a_client_sends_before_the_change_of_the_protocol_are_not_lost()
            throws Exception {
        server.on("/eager", PassThroughStreamsTest::echo);
        try (RawClient client =
                connect()
                        .send(
                                request(
                                                "GET /eager",
                                                "Connection: Upgrade\r\n",
                                                "Upgrade: websocket\r\n")
                                        + "early\n")) {
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 101 Switching Protocols");
            assertThat(client.line()).isEqualTo("early");
        }
    }

    @Test
    void disconnect_of_either_side_ends_the_other_one_of_a_tunnel() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        BlockingQueue<String> orders = new LinkedBlockingQueue<>();
        server.on(
                "/cut",
                (head, in, out) -> {
                    out.write(
                            lines(
                                    "HTTP/1.1 101 Switching Protocols",
                                    "Connection: Upgrade",
                                    "Upgrade: websocket"));
                    if (head.target().contains("server")) {
                        Unchecked.call(orders::take);
                        return;
                    }
                    while (in.read() >= 0) {
                        // Waits for the end.
                    }
                    ended.countDown();
                });
        String upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
        try (RawClient client = connect().send(request("GET /cut", upgrade))) {
            assertThat(client.head().getFirst()).contains("101");
        }
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        try (RawClient client = connect().send(request("GET /cut?by=server", upgrade))) {
            assertThat(client.head().getFirst()).contains("101");
            orders.add("end");
            assertThat(client.untilClosed()).isEmpty();
        }
    }

    @Test
    void other_protocols_are_not_changed_to() throws Exception {
        server.on("/h2c", answer("", "HTTP/1.1 200 OK", "Connection: close", "Content-Length: 0"));
        server.received().clear();
        try (RawClient client =
                connect()
                        .send(
                                request(
                                        "GET /h2c",
                                        "Connection: Upgrade, HTTP2-Settings\r\n",
                                        "Upgrade: h2c\r\n",
                                        "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"))) {
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
        }
        assertThat(server.received().take().headers())
                .doesNotContainKeys("upgrade", "http2-settings");
    }

    @Test
    void client_that_disconnects_ends_a_request_without_an_answer() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        server.on(
                "/mute",
                (_, in, _) -> {
                    in.readNBytes(4);
                    arrived.countDown();
                    if (in.read() < 0) {
                        ended.countDown();
                    }
                });
        try (RawClient client = connect()) {
            client.send(request("POST /mute", "Content-Length: 4\r\n") + "body");
            assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void body_that_breaks_off_gets_no_answer() throws Exception {
        for (String broken :
                List.of(
                        "Content-Length: 5\r\n\r\nhel",
                        "Transfer-Encoding: chunked\r\n\r\n",
                        "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
                        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")) {
            try (RawClient client = connect()) {
                String request = request("POST /mute").stripTrailing() + "\r\n" + broken;
                client.send(request);
                client.closeOutput();

                assertThat(client.untilClosed()).as(broken).isEmpty();
            }
        }
    }

    @Test
    void chunked_upload_reaches_the_server_part_by_part() throws Exception {
        BlockingQueue<String> parts = new LinkedBlockingQueue<>();
        server.on(
                "/upload",
                (_, in, out) -> {
                    for (String size = line(in); !size.equals("0"); size = line(in)) {
                        parts.add(new String(in.readNBytes(Integer.parseInt(size, 16)), UTF_8));
                        line(in);
                    }
                    out.write(
                            lines(
                                    "HTTP/1.1 201 Created",
                                    "Connection: close",
                                    "Content-Length: 0"));
                });
        try (RawClient client =
                connect().send(request("POST /upload", "Transfer-Encoding: chunked\r\n"))) {
            client.send("3\r\none\r\n");
            assertThat(parts.take()).isEqualTo("one");
            client.send("3\r\ntwo\r\n");
            assertThat(parts.take()).isEqualTo("two");
            client.send("0\r\n\r\n");
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 201 Created");
            assertAlive(client);
        }
    }

    @Test
    void body_is_sent_only_when_the_server_wants_it() throws Exception {
        server.on("/expect", answer("", "HTTP/1.1 403 Forbidden", "Content-Length: 0"));
        server.received().clear();
        try (RawClient client =
                connect()
                        .send(
                                request(
                                        "POST /expect",
                                        "Expect: 100-continue\r\n",
                                        "Content-Length: 1000000000\r\n"))) {
            assertThat(client.line()).isEqualTo("HTTP/1.1 403 Forbidden");
        }
        assertThat(server.received().take().header("expect")).isEqualTo("100-continue");
    }

    @Test
    void request_with_two_meanings_is_refused() throws Exception {
        String body = "Content-Length: 4\r\n";
        for (String target :
                new String[] {
                    "GET /a/../b", "GET /a/%2e%2E/b", "GET /a/..%2fb", "GET /a%zz", "GET /a\\b"
                }) {
            assertRefused(request(target));
        }
        assertRefused(request("POST /x", body, "Transfer-Encoding: chunked\r\n") + "0\r\n\r\n");
        assertRefused(request("POST /x", body, "Content-Length: 5\r\n") + "12345");
        assertRefused(request("GET /x", "A: b\r\n c\r\n"));
        assertRefused(request("GET /x", "Connection: Authorization\r\n"));
    }

    /**
     * Jetty takes any visible character for the first of a method, and //x for the name of a host.
     */
    @ParameterizedTest
    @CsvSource({
        "@OST /passed/x, 400",
        "(GET /passed/x, 400",
        "GET //readyz;/apis/, 404",
        "GET //a:b/passed/x, 404",
        "GET //x/api/v1/secrets, 404"
    })
    void line_that_servers_may_read_differently_is_not_passed_on(String line, int code)
            throws Exception {
        try (RawClient client = connect().send(request(line))) {
            assertThat(client.line()).as(line).startsWith("HTTP/1.1 " + code);
        }
    }

    private void assertRefused(String request) throws IOException {
        try (RawClient client = connect().send(request)) {
            assertThat(client.line()).as(request).startsWith("HTTP/1.1 400");
        }
    }

    @Test
    void server_that_is_silent_or_malformed_is_reported_as_such() throws Exception {
        server.on("/garbage", answer("", "SSH-2.0-x"));
        server.on("/nothing", (_, _, _) -> {});
        for (String path : new String[] {"/garbage", "/nothing"}) {
            try (RawClient client = connect().send(request("GET " + path))) {
                assertThat(client.line()).isEqualTo("HTTP/1.1 502 Bad Gateway");
            }
        }
    }
}
