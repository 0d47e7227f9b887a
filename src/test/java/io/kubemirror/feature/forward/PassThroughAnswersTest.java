package io.kubemirror.feature.forward;

import static io.kubemirror.feature.forward.PassThroughStreamsTest.request;
import static io.kubemirror.testing.containers.ContainerServer.answer;
import static io.kubemirror.testing.containers.ContainerServer.line;
import static io.kubemirror.testing.containers.ContainerServer.lines;
import static io.kubemirror.testing.containers.ContainerServer.text;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.containers.ContainerServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** What clients get while the API server answers, and when it does not. */
class PassThroughAnswersTest {

    private static final String UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    private static final byte[] SWITCHING =
            text("HTTP/1.1 101 Switching Protocols\r\n" + UPGRADE + "\r\n");

    private final ContainerServer server = ContainerServer.alone();
    private final List<ConfigurableApplicationContext> started = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);

    @AfterEach
    void close() {
        over.countDown();
        started.forEach(ConfigurableApplicationContext::close);
        server.close();
    }

    private RawClient connect(String... settings) {
        if (started.isEmpty()) {
            started.add(ApplicationLauncher.mirroring(server.url(), "configmaps", settings));
        }
        return RawClient.to(ApplicationLauncher.port(started.getFirst()));
    }

    private void await() {
        Unchecked.run(() -> assertThat(over.await(100, TimeUnit.SECONDS)).isTrue());
    }

    @Test
    void shutdown_ends_a_watch_between_two_events_and_cuts_a_tunnel() throws Exception {
        server.on(
                "/things",
                (_, _, out) -> {
                    out.write(lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"));
                    out.write(text("3\r\n{}\n\r\n"));
                    await();
                });
        server.on(
                "/exec",
                (_, _, out) -> {
                    out.write(SWITCHING);
                    out.write(text("x"));
                    await();
                });
        try (RawClient watch = connect("kubemirror.pass-through.mode=client");
                RawClient tunnel = connect()) {
            watch.send(request("GET /api/v1/things?watch=true"));
            assertThat(watch.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(watch.read(8)).isEqualTo("3\r\n{}\n\r\n");
            tunnel.send(request("GET /api/v1/namespaces/a/pods/x/exec", UPGRADE));
            assertThat(tunnel.head().getFirst()).contains("101");
            assertThat(tunnel.read(1)).isEqualTo("x");

            started.getFirst().close();
            assertThat(watch.untilClosed()).isEqualTo("0\r\n\r\n");
            assertThat(tunnel.untilClosed()).isEmpty();
        }
    }

    @Test
    void verbs_that_read_and_create_objects_open_no_connection_to_a_container() throws Exception {
        String[] settings = {
            "kubemirror.pass-through.mode=own",
            "kubemirror.pass-through.own-verbs=get,list,watch,create"
        };
        assertUpgradeRefused("GET", "pods/p/exec", settings);
        assertUpgradeRefused("POST", "pods/p/exec", settings);
        assertUpgradeRefused("GET", "pods/p/attach", settings);
        assertUpgradeRefused("GET", "pods/p/portforward", settings);
        assertUpgradeRefused("GET", "services/s/proxy/admin", settings);
        assertUpgradeRefused("GET", "pods/p/proxy", settings);
    }

    private void assertUpgradeRefused(String method, String target, String... settings)
            throws Exception {
        try (RawClient client = connect(settings)) {
            client.send(request(method + " /api/v1/namespaces/n/" + target, UPGRADE));

            List<String> head = client.head();
            assertThat(head.getFirst()).isEqualTo("HTTP/1.1 403 Forbidden");
            assertThat(client.read((int) length(head)))
                    .contains("kubemirror.pass-through.own-verbs does not contain proxy\"");
            assertThat(server.received()).isEmpty();
        }
    }

    @Test
    void stream_whose_body_does_not_arrive_is_refused() throws Exception {
        server.on("/things", (_, _, _) -> await());
        try (RawClient client = connect("kubemirror.pass-through.mode=client")) {
            client.send(request("GET /api/v1/things?watch=true", "Content-Length: 5\r\n"));
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 400 Bad Request");
        }
        assertThat(server.received()).isEmpty();
    }

    @Test
    void small_answer_to_a_write_is_sent_whole() throws Exception {
        String[] head = {"HTTP/1.1 201 Created", "Transfer-Encoding: chunked"};
        server.on("/things", answer("1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", head));
        server.on("/broken", answer("1\r\n{\r\n1", head));
        try (RawClient client = connect("kubemirror.pass-through.mode=client")) {
            client.send(request("POST /api/v1/things", "Content-Length: 0\r\n"));
            assertThat(client.head())
                    .contains("HTTP/1.1 201 Created", "Content-Length: 2")
                    .noneMatch(line -> line.startsWith("Transfer-Encoding"));
            assertThat(client.read(2)).isEqualTo("{}");

            client.send(request("POST /api/v1/broken", "Content-Length: 0\r\n"));
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 502 Bad Gateway");
        }
    }

    @Test
    void answers_without_a_body_keep_their_length_and_the_connection() throws Exception {
        server.on(
                "/things",
                (head, _, out) -> {
                    String code = head.method().equals("HEAD") ? "200 OK" : "304 Not Modified";
                    out.write(lines("HTTP/1.1 103 Early Hints"));
                    out.write(
                            lines(
                                    "HTTP/1.1 " + code,
                                    "ETag: \"e\"",
                                    "Connection: close",
                                    "Content-Length: 1234"));
                });
        try (RawClient client = connect("kubemirror.pass-through.mode=client")) {
            for (int i = 0; i < 2; i++) {
                client.send(request("HEAD /api/v1/things"));
                assertThat(client.head())
                        .contains("HTTP/1.1 200 OK", "Content-Length: 1234", "ETag: \"e\"");
                client.send(request("GET /api/v1/things", "If-None-Match: \"e\"\r\n"));
                assertThat(client.head()).contains("HTTP/1.1 304 Not Modified", "ETag: \"e\"");
            }
        }
    }

    /** What kubemirror could not send on gets an answer nevertheless. */
    @ParameterizedTest
    @CsvSource({"200000, 200", "300000, 502"})
    void head_that_cannot_be_passed_on_gets_a_status(int length, int code) throws Exception {
        String large = "X-Large: " + "9".repeat(length);
        server.on("/things", answer("", "HTTP/1.1 200 OK", "Connection: close", large));
        try (RawClient client = connect("kubemirror.pass-through.mode=client")) {
            client.send(request("GET /api/v1/things"));
            assertThat(client.head().getFirst()).startsWith("HTTP/1.1 " + code);
        }
    }

    /** Its revision is read on the way, which protobuf and YAML do not show. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    /configmaps | application/vnd.kubernetes.protobuf, */*              | application/json
                    /configmaps | application/yaml, application/json;q=0.5              | application/json;q=0.5
                    /configmaps | application/vnd.kubernetes.protobuf                   | application/vnd.kubernetes.protobuf
                    /things     | application/vnd.kubernetes.protobuf, application/json | application/vnd.kubernetes.protobuf, application/json
                    """)
    void answer_to_a_write_of_a_mirrored_type_is_json_if_the_client_accepts_it(
            String path, String accepted, String requested) throws Exception {
        String json = "Content-Type: application/json";
        server.on(path, answer("{}", "HTTP/1.1 200 OK", json, "Connection: close"));
        try (RawClient client = connect("kubemirror.pass-through.mode=client")) {
            client.send(
                    request(
                            "POST /api/v1/namespaces/a" + path,
                            "Accept: " + accepted + "\r\n",
                            "Content-Length: 0\r\n"));
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
        }
        assertThat(server.received())
                .filteredOn(head -> head.method().equals("POST"))
                .extracting(head -> head.header("accept"))
                .containsExactly(requested);
    }

    @Test
    void headers_of_the_server_replace_those_that_kubemirror_sends_itself() throws Exception {
        server.on(
                "/things/x",
                answer(
                        "",
                        "HTTP/1.1 200 OK",
                        "Date: Thu, 01 Jan 2026 00:00:00 GMT",
                        "Warning: 299 - \"a\"",
                        "Warning: 299 - \"b\"",
                        "Connection: close",
                        "Content-Length: 0"));
        for (String method : List.of("GET", "DELETE", "POST")) {
            try (RawClient client = connect("kubemirror.pass-through.mode=client")) {
                client.send(
                        request(
                                method + " /api/v1/namespaces/a/things/x",
                                "Content-Length: 0\r\n"));
                List<String> head = client.head();
                assertThat(head)
                        .filteredOn(line -> line.startsWith("Date:"))
                        .containsExactly("Date: Thu, 01 Jan 2026 00:00:00 GMT");
                assertThat(head).contains("Warning: 299 - \"a\"", "Warning: 299 - \"b\"");
            }
        }
    }

    @Test
    void server_that_refuses_connections_is_unavailable_and_a_silent_one_is_late()
            throws Exception {
        server.on("/mute", (_, _, _) -> await());
        try (RawClient client =
                connect(
                        "kubemirror.pass-through.mode=client",
                        "kubemirror.upstream.read-timeout=1s")) {
            client.send(request("GET /mute"));
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 504 Gateway Timeout");
        }
        server.close();
        try (RawClient client = connect()) {
            client.send(request("DELETE /api/v1/namespaces/a/things/x"));
            assertThat(client.head())
                    .contains("HTTP/1.1 503 Service Unavailable", "Retry-After: 1");
        }
    }

    @Test
    void own_mode_renews_its_token_and_repeats_what_it_can(@TempDir Path directory)
            throws Exception {
        server.on(
                "/things",
                (head, in, out) -> {
                    String length = head.header("content-length");
                    in.skipNBytes(length.isEmpty() ? 0 : Long.parseLong(length));
                    boolean good = head.header("authorization").equals("Bearer t2");
                    out.write(
                            lines(
                                    "HTTP/1.1 " + (good ? "200 OK" : "401 Unauthorized"),
                                    "Connection: close",
                                    "Content-Length: 0"));
                });
        Path token = Files.writeString(directory.resolve("token"), "t1");
        Path config =
                Files.writeString(
                        directory.resolve("config"),
                        """
                        {kind: Config, apiVersion: v1, current-context: c,
                         contexts: [{name: c, context: {cluster: c, user: u}}],
                         clusters: [{name: c, cluster: {server: "%s"}}],
                         users: [{name: u, user: {tokenFile: "%s"}}]}
                        """
                                .formatted(server.url(), token));
        try (RawClient client =
                connect(
                        "kubemirror.upstream.server=",
                        "kubemirror.upstream.kubeconfig=" + config,
                        "kubemirror.pass-through.mode=own")) {
            client.send(request("POST /api/v1/things", "Content-Length: 0\r\n"));
            List<String> refused = client.head();
            assertThat(refused.getFirst()).isEqualTo("HTTP/1.1 502 Bad Gateway");
            client.bytes((int) length(refused));

            Files.writeString(token, "t2");
            client.send(request("POST /api/v1/things", "Content-Length: 0\r\n"));
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    private static long length(List<String> head) {
        return head.stream()
                .filter(line -> line.startsWith("Content-Length: "))
                .mapToLong(line -> Long.parseLong(line.substring("Content-Length: ".length())))
                .findFirst()
                .orElseThrow();
    }
}
