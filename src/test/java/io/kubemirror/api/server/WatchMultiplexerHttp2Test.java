package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Map;

/** Streams of several resources over HTTP/2. */
@Timeout(50)
class WatchMultiplexerHttp2Test {

    private static final String STREAM = "/kubemirror/v1/watch?resource=pods&resource=nodes";
    private static final int WIDE = 1 << 20;

    static ApiFixture serving(Map<String, Object> beans) {
        ApiFixture served =
                ApiFixture.of(beans, new String[] {"pods", "nodes"}, "--server.http2.enabled=true");
        served.writer(0).identify(ApiSamples.PODS);
        served.writer(1).identify(ApiSamples.NODES);
        ApiSamples.synchronize(served.writer(0), 100);
        ApiSamples.synchronize(served.writer(1), 100);
        return served;
    }

    private static void expect(FrameClient client, int stream, String wanted) {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(wanted) < 0) {
            read.append(client.next(stream).text());
        }
    }

    @Test
    void streams_of_one_connection_are_independent() {
        try (ApiFixture served = serving(Map.of());
                FrameClient client = FrameClient.to(served.port(), 10)) {
            client.get(1, STREAM).get(3, STREAM);
            client.grant(3, WIDE);
            assertThat(client.status(1)).isEqualTo(200);
            assertThat(client.status(3)).isEqualTo(200);
            Http2Test.awaitWatches(served, 2);
            served.writer(1).upsert(ApiSamples.object("", "n", 101));
            expect(client, 3, "\"type\":\"ADDED\",\"resource\":\"nodes\"");

            // The first has been sent only what its window has room for.
            client.cancel(1);
            Http2Test.awaitWatches(served, 1);
            served.writer(0).upsert(ApiSamples.object("a", "x", 102));
            expect(client, 3, "\"type\":\"ADDED\",\"resource\":\"pods\"");
        }
    }
}
