package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.RawClient;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.app.BoundProperties;
import io.kubemirror.feature.forward.PassedExchange.ExchangeThread;
import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.source.Result;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.micrometer.core.instrument.Tags;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a request while the API server answers it, with any body of the answer. */
class PassedExchangeTest {

    private static final String[] KNOWN = {"Authorization", "Bearer known"};

    private final ScriptedAccess access = new ScriptedAccess().know("known");
    private final FakeForwardingApi server = new FakeForwardingApi();

    @AutoClose
    private final ApiFixture served =
            ApiFixture.golden(
                    Map.of(
                            "access",
                            access,
                            "mirrorProperties",
                            BoundProperties.of(
                                    Map.of(
                                            "kubemirror.pass-through.mode",
                                            "own",
                                            "kubemirror.pass-through.own-verbs",
                                            "watch,create,proxy")),
                            "server",
                            server,
                            "patience",
                            WaitLimit.GENEROUS),
                    "--server.address=127.0.0.1");

    /** The parts of a body, and what comes after them; an empty part is read as no bytes. */
    private static InputStream body(List<String> parts, Callable<Integer> end) {
        Iterator<String> next = parts.iterator();
        return new InputStream() {

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                if (!next.hasNext()) {
                    return last();
                }
                byte[] part = next.next().getBytes(UTF_8);
                System.arraycopy(part, 0, buffer, offset, part.length);
                return part.length;
            }

            private int last() throws IOException {
                try {
                    return end.call();
                } catch (IOException broken) {
                    throw broken;
                } catch (Exception interrupted) {
                    throw new InterruptedIOException();
                }
            }
        };
    }

    private static int never() throws InterruptedException {
        new CountDownLatch(1).await();
        return -1;
    }

    @Test
    void part_without_bytes_is_not_the_end_of_a_body() throws Exception {
        server.answers(
                _ ->
                        FakeForwardingApi.answer(
                                200,
                                "application/json",
                                body(List.of("{}\n", "", "{}\n"), () -> -1)));
        try (RawClient client = RawClient.to(served.port())) {
            client.ask("/api/v1/things?watch=true", KNOWN);

            assertThat(client.head()).contains("Transfer-Encoding: chunked");
            assertThat(client.chunk()).hasSize(3);
            assertThat(client.chunk()).hasSize(3);
            assertThat(client.chunk()).isEmpty();
        }
    }

    @Test
    void watch_with_the_credentials_of_kubemirror_ends_when_its_client_may_no_longer_watch()
            throws Exception {
        server.answers(
                _ ->
                        FakeForwardingApi.answer(
                                200,
                                "application/json",
                                body(List.of("{}\n"), PassedExchangeTest::never)));
        try (RawClient client = RawClient.to(served.port())) {
            client.ask("/api/v1/things?watch=true", KNOWN);
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(client.chunk()).hasSize(3);

            access.forbid("things");

            assertThat(client.chunk()).isEmpty();
        }
    }

    @Test
    void connection_to_a_container_ends_when_its_client_may_no_longer_have_it() throws Exception {
        CountDownLatch canceled = new CountDownLatch(1);
        InputStream container =
                body(
                        List.of("x"),
                        () -> {
                            canceled.await();
                            return -1;
                        });
        server.answers(
                _ ->
                        Result.of(
                                new PassedResponse(
                                        101,
                                        Map.of("Upgrade", List.of("websocket")),
                                        container,
                                        OutputStream.nullOutputStream(),
                                        canceled::countDown)));
        try (RawClient client = RawClient.to(served.port())) {
            client.ask(
                    "/api/v1/namespaces/a/pods/x/exec",
                    "Authorization",
                    "Bearer known",
                    "Connection",
                    "Upgrade",
                    "Upgrade",
                    "websocket");
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 101 Switching Protocols");
            assertThat(client.read(1)).isEqualTo("x");

            access.forbid("pods");

            assertThat(client.untilClosed()).isEmpty();
        }
    }

    @Test
    void client_itself_needs_the_permission_to_use_the_credentials_of_kubemirror() {
        server.answers(_ -> FakeForwardingApi.answer(200, "application/json", "{}"));
        access.forbid("secrets");
        String namespace = "/api/v1/namespaces/a/";

        assertThat(post(namespace + "things")).isEqualTo(401);
        assertThat(post(namespace + "things", "Authorization", "Bearer x")).isEqualTo(401);
        assertThat(post(namespace + "secrets", KNOWN)).isEqualTo(403);
        assertThat(server.forwarded).isEmpty();
        assertThat(post(namespace + "things", KNOWN)).isEqualTo(200);
        assertThat(server.forwarded)
                .singleElement()
                .matches(request -> request.credentials() == CredentialOwner.KUBEMIRROR);
    }

    private int post(String path, String... headers) {
        return served.client().send("POST", path, null, headers).code();
    }

    @ParameterizedTest
    @CsvSource({"404, ''", "200, things"})
    void invented_resource_is_counted_without_its_name(int code, String resource) {
        server.answers(_ -> FakeForwardingApi.answer(code, "application/json", "{}"));

        assertThat(post("/api/v1/namespaces/a/things", KNOWN)).isEqualTo(code);

        Tags counted = Tags.of("resource", resource, "code", Integer.toString(code));
        WaitLimit.until(() -> served.count("kubemirror.requests", counted) == 1);
    }

    /** It disconnects as soon as it has the last byte, as kubectl does. */
    @Test
    void write_whose_client_has_the_whole_answer_is_not_counted_as_abandoned() throws Exception {
        InputStream endless =
                new SequenceInputStream(
                        new ByteArrayInputStream(new byte[81_920]),
                        body(List.of(), PassedExchangeTest::never));
        Map<String, List<String>> headers = Map.of("Content-Length", List.of("81920"));
        server.answers(_ -> FakeForwardingApi.answer(201, headers, endless));
        try (RawClient client = RawClient.to(served.port())) {
            client.send(
                    String.join(
                            "\r\n",
                            "POST /api/v1/namespaces/a/pods HTTP/1.1",
                            "Host: localhost",
                            "Authorization: Bearer known",
                            "Content-Length: 0",
                            "",
                            ""));
            assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 201 Created");
            client.bytes(81_920);
        }

        Tags created = Tags.of("answered.by", "api-server", "verb", "create", "resource", "pods");
        WaitLimit.until(() -> served.count("kubemirror.requests", created) > 0);
        assertThat(served.count("kubemirror.requests", created.and("code", "201"))).isOne();
    }

    @Test
    void client_that_has_the_answer_may_disconnect_while_it_is_written() throws IOException {
        ExchangeThread thread = new ExchangeThread(() -> fail("interrupted"));
        thread.writing(true);
        thread.end();
        thread.sent();

        assertThat(thread.isWriting()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"201, 1", "500, 1", "401, 0", "409, 0"})
    void write_whose_answer_breaks_off_is_looked_up_unless_it_was_refused(int code, int lookups) {
        server.isAt(110);
        server.answers(
                _ ->
                        FakeForwardingApi.answer(
                                code,
                                "application/json",
                                body(
                                        List.of("{"),
                                        () -> {
                                            throw new IOException("cut");
                                        })));
        assertThat(served.client().send("POST", "/api/v1/namespaces/a/pods", null, KNOWN).code())
                .isEqualTo(502);

        RestResponse read = served.client().get("/api/v1/pods?resourceVersion=0", KNOWN);

        assertThat(read.code()).isEqualTo(200);
        assertThat(server.lists).hasSize(lookups);
    }
}
