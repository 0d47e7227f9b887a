package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Tests the bytes of a watch on the wire (list-watch.md#wi-1, #wi-3, #wi-7). */
@Timeout(60)
class WatchChunksTest {

    @AutoClose private final ApiFixture served = ApiFixture.golden();

    /**
     * A chunk ends with a line break. A client that reads it at once, as urllib3 does and so the
     * Python client, would be one event behind if it came only with the next chunk.
     */
    @Test
    void each_event_is_sent_as_a_complete_chunk() throws IOException {
        try (RawClient connection = ask("/api/v1/pods?watch=1&resourceVersion=110")) {
            assertThat(connection.head()).contains("Transfer-Encoding: chunked");
            served.writer().upsert(ApiSamples.object("b", "x", 111));
            assertThat(chunk(connection)).startsWith("{\"type\":\"ADDED\"").endsWith("}\n");
            served.writer().upsert(ApiSamples.object("b", "y", 112));
            assertThat(chunk(connection)).startsWith("{\"type\":\"ADDED\"").endsWith("}\n");
        }
    }

    @Test
    void watch_ends_with_one_empty_chunk_and_keeps_the_connection_usable() throws IOException {
        try (RawClient connection =
                ask("/api/v1/pods?watch=1&resourceVersion=110&timeoutSeconds=1")) {
            connection.head();
            served.writer().upsert(ApiSamples.object("b", "x", 111));
            assertThat(chunk(connection)).endsWith("}\n");
            assertThat(chunk(connection)).isEmpty();

            connection.ask("/api/v1/namespaces/b/pods/x");
            assertThat(connection.line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void connection_close_watch_is_chunked() throws IOException {
        String watch = "/api/v1/pods?watch=1&resourceVersion=110&timeoutSeconds=1";
        try (RawClient connection = ask(watch, "Connection", "close")) {
            assertThat(connection.head()).contains("Transfer-Encoding: chunked");
            served.writer().upsert(ApiSamples.object("b", "x", 111));
            assertThat(chunk(connection)).endsWith("}\n");
            assertThat(chunk(connection)).isEmpty();
        }
    }

    @Test
    void server_sent_events_are_sent_as_complete_chunks() throws IOException {
        String watch = "/api/v1/pods?watch=1&resourceVersion=110";
        try (RawClient connection = ask(watch, "Accept", "text/event-stream")) {
            connection.head();
            assertThat(chunk(connection)).startsWith("retry: ");
            served.writer().upsert(ApiSamples.object("b", "x", 111));
            assertThat(chunk(connection)).startsWith("event: ADDED\nid: 111\n").endsWith("\n\n");
        }
    }

    private RawClient ask(String target, String... fields) {
        return RawClient.to(served.port()).ask(target, fields);
    }

    private static String chunk(RawClient client) throws IOException {
        return new String(client.chunk(), StandardCharsets.UTF_8);
    }
}
