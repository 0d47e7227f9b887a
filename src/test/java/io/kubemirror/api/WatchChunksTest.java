package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Tests the bytes of a watch on the wire (list-watch.md#wi-1, #wi-3, #wi-7). */
@Timeout(60)
class WatchChunksTest {

    private final ApiFixture served = ApiFixture.golden();

    @AfterEach
    void stop() {
        served.close();
    }

    /**
     * A chunk ends with a line break. A client that reads it at once, as urllib3 does and so the
     * Python client, would be one event behind if it came only with the next chunk.
     */
    @Test
    void each_event_is_sent_as_a_complete_chunk() throws IOException {
        try (ChunkedConnection connection =
                new ChunkedConnection("/api/v1/pods?watch=1&resourceVersion=110")) {
            assertThat(connection.head()).contains("Transfer-Encoding: chunked");
            served.writer().upsert(ApiSamples.object("b", "x", 111));
            assertThat(connection.chunk()).startsWith("{\"type\":\"ADDED\"").endsWith("}\n");
            served.writer().upsert(ApiSamples.object("b", "y", 112));
            assertThat(connection.chunk()).startsWith("{\"type\":\"ADDED\"").endsWith("}\n");
        }
    }

    @Test
    void watch_ends_with_one_empty_chunk_and_keeps_the_connection_usable() throws IOException {
        try (ChunkedConnection connection =
                new ChunkedConnection(
                        "/api/v1/pods?watch=1&resourceVersion=110&timeoutSeconds=1")) {
            connection.head();
            served.writer().upsert(ApiSamples.object("b", "x", 111));
            assertThat(connection.chunk()).endsWith("}\n");
            assertThat(connection.chunk()).isEmpty();

            connection.request("/api/v1/namespaces/b/pods/x");
            assertThat(connection.head()).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void connection_close_watch_is_chunked() throws IOException {
        String watch = "/api/v1/pods?watch=1&resourceVersion=110&timeoutSeconds=1";
        try (ChunkedConnection connection = new ChunkedConnection(watch, "Connection: close")) {
            assertThat(connection.head()).contains("Transfer-Encoding: chunked");
            served.writer().upsert(ApiSamples.object("b", "x", 111));
            assertThat(connection.chunk()).endsWith("}\n");
            assertThat(connection.chunk()).isEmpty();
        }
    }

    @Test
    void server_sent_events_are_sent_as_complete_chunks() throws IOException {
        String watch = "/api/v1/pods?watch=1&resourceVersion=110";
        try (ChunkedConnection connection =
                new ChunkedConnection(watch, "Accept: text/event-stream")) {
            connection.head();
            assertThat(connection.chunk()).startsWith("retry: ");
            served.writer().upsert(ApiSamples.object("b", "x", 111));
            assertThat(connection.chunk()).startsWith("event: ADDED\nid: 111\n").endsWith("\n\n");
        }
    }

    /** A client that reads every byte as soon as the protocol says that it is due. */
    private final class ChunkedConnection implements AutoCloseable {

        private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), served.port());
        private final DataInputStream in = new DataInputStream(socket.getInputStream());

        ChunkedConnection(String target, String... headers) throws IOException {
            // A read that waits for the next event must fail, and an interrupt would not end it.
            socket.setSoTimeout(20_000);
            request(target, headers);
        }

        void request(String target, String... headers) throws IOException {
            String lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
            String request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        }

        String head() throws IOException {
            StringBuilder head = new StringBuilder();
            for (String line = line(); !line.isEmpty(); line = line()) {
                head.append(line).append('\n');
            }
            return head.toString();
        }

        String chunk() throws IOException {
            byte[] content = new byte[Integer.parseInt(line(), 16)];
            in.readFully(content);
            assertThat(line()).as("the line break after a chunk").isEmpty();
            return new String(content, StandardCharsets.UTF_8);
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = in.readByte(); next != '\n'; next = in.readByte()) {
                if (next != '\r') {
                    line.append((char) next);
                }
            }
            return line.toString();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
