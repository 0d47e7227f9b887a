package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.testing.Unchecked;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpClient;
import java.net.http.WebSocket;

/** Watches by WebSocket (list-watch.md#ws-1). */
class WebSocketWatchTest {

    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";
    private static final String INITIAL = "/api/v1/pods?watch=1&resourceVersion=0";

    @AutoClose private final ApiFixture served = ApiFixture.golden();
    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void every_event_is_one_text_message_with_the_bytes_of_the_stream() {
        try (WatchClient stream = served.watch(INITIAL);
                Messages messages = open(served, INITIAL)) {
            messages.client().request(10);
            for (int i = 0; i < 3; i++) {
                assertThat(messages.next()).isEqualTo(stream.next() + "\n");
            }
            served.writer().upsert(ApiSamples.object("a", "z", 111));
            assertThat(messages.next()).isEqualTo(stream.next() + "\n");
        }
    }

    @Test
    void watch_ends_with_a_close_frame_after_its_timeout() {
        try (Messages messages = open(served, WATCH + "&timeoutSeconds=1")) {
            messages.client().request(10);
            assertThat(messages.closed.join()).isEqualTo(WebSocket.NORMAL_CLOSURE);
            await().until(() -> served.openWatches() == 0);
        }
    }

    @Test
    void watch_is_counted_and_ends_when_the_client_closes_the_connection() {
        try (Messages messages = open(served, WATCH)) {
            await().until(() -> served.openWatches() == 1);
            await().until(() -> served.count("kubemirror.requests", Tags.of("code", "200")) == 1);
            messages.client().sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            await().until(() -> served.openWatches() == 0);
        }
    }

    /** Jetty may start and end it at once, on another thread. */
    @Test
    void watch_is_registered_before_anything_can_start_it() {
        WatchRegistry registry = served.bean(WatchRegistry.class);
        List<Boolean> registered = new CopyOnWriteArrayList<>();
        served.bean(MeterRegistry.class)
                .config()
                .onMeterAdded(
                        meter -> {
                            if (meter.getId().getName().equals("kubemirror.requests")) {
                                registered.add(registry.isWatched(served.writer().mirror()));
                            }
                        });
        try (Messages _ = open(served, WATCH)) {
            await().untilAsserted(() -> assertThat(registered).containsExactly(true));
        }
    }

    @Test
    void ping_is_answered_and_messages_of_the_client_are_discarded() {
        try (Messages messages = open(served, WATCH)) {
            messages.client().request(10);
            messages.client().sendText("x".repeat(200_000), true).join();
            messages.client().sendPing(ByteBuffer.wrap(new byte[] {1, 2})).join();
            assertThat(messages.next()).isEqualTo("pong 2");
            served.writer().upsert(ApiSamples.object("a", "z", 111));
            assertThat(messages.next()).contains("\"resourceVersion\":\"111\"");
        }
    }

    @Test
    void client_that_reads_nothing_for_too_long_is_disconnected_and_counted_as_stalled() {
        try (ApiFixture impatient = ApiFixture.golden("--server.jetty.connection-idle-timeout=3s");
                Messages messages = open(impatient, WATCH)) {
            for (int revision = 111; revision < 311; revision++) {
                String name = "p" + revision + "-" + "p".repeat(100_000);
                impatient.writer().upsert(ApiSamples.object("b", name, revision));
            }
            await().until(() -> impatient.openWatches() == 0);
            assertThat(impatient.count("kubemirror.watches.ended", Tags.of("reason", "stalled")))
                    .isEqualTo(1);
            assertThat(messages.received).isEmpty();
        }
    }

    @Test
    void expired_revision_is_an_error_event_before_the_close_frame() {
        try (Messages messages = open(served, "/api/v1/pods?watch=1&resourceVersion=109")) {
            messages.client().request(10);
            assertThat(messages.next()).contains("\"type\":\"ERROR\"").contains("\"code\":410");
            assertThat(messages.closed.join()).isEqualTo(WebSocket.NORMAL_CLOSURE);
        }
    }

    @Test
    void server_sent_events_are_refused() {
        assertThatThrownBy(
                        () ->
                                http.newWebSocketBuilder()
                                        .header("Accept", "text/event-stream")
                                        .buildAsync(uri(served, WATCH), new Messages())
                                        .join())
                .hasStackTraceContaining("400");
        assertThat(served.openWatches()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Sec-WebSocket-Version: 12",
                "Sec-WebSocket-Version: x",
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: \""
            })
    void malformed_handshake_is_refused_counted_and_leaves_no_watch(String headers) {
        try (RawClient client =
                RawClient.to(served.port())
                        .send(
                                "GET "
                                        + WATCH
                                        + " HTTP/1.1\r\nHost: localhost\r\n"
                                        + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                        + headers
                                        + "\r\n\r\n")) {
            assertThat(client.line()).startsWith("HTTP/1.1 400 ");
            assertThat(served.openWatches()).isZero();
            // The client has the answer before it is counted.
            await().until(() -> served.count("kubemirror.requests", Tags.of("code", "400")) == 1);
        }
    }

    @Test
    void request_that_a_plain_watch_refuses_is_refused_without_an_upgrade() {
        assertThatThrownBy(() -> open(served, "/api/v1/secrets?watch=1"))
                .hasStackTraceContaining("404");
    }

    private Messages open(ApiFixture served, String path) {
        Messages messages = new Messages();
        messages.client = http.newWebSocketBuilder().buildAsync(uri(served, path), messages).join();
        return messages;
    }

    private static URI uri(ApiFixture served, String path) {
        return URI.create("ws://127.0.0.1:" + served.port() + path);
    }

    /** What a client has received; requests nothing by itself. */
    private static final class Messages implements WebSocket.Listener, AutoCloseable {

        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final StringBuilder part = new StringBuilder();
        private @Nullable WebSocket client;

        private WebSocket client() {
            return Objects.requireNonNull(client);
        }

        @Override
        public void onOpen(WebSocket opened) {}

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
            part.append(text);
            if (last) {
                received.add(part.toString());
                part.setLength(0);
            } else {
                from.request(1);
            }
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket from, ByteBuffer content) {
            received.add("pong " + content.remaining());
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            closed.complete(code);
            return CompletableFuture.completedStage(null);
        }

        private String next() {
            return Unchecked.call(received::take);
        }

        @Override
        public void close() {
            client().abort();
        }
    }
}
