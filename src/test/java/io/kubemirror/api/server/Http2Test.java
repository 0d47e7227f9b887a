package io.kubemirror.api.server;

import static io.kubemirror.api.server.FrameClient.DATA;
import static io.kubemirror.api.server.FrameClient.RST_STREAM;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.RawClient;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.Test;

/** Tests HTTP/2 with prior knowledge: what streams share, and what they do not. */
class Http2Test {

    private static final String LIST = "/api/v1/pods";
    private static final String WATCH = LIST + "?watch=1&resourceVersion=110";
    private static final int WIDE = 1 << 20;
    private static final String SHORT = "--server.jetty.connection-idle-timeout=1s";

    static ApiFixture serving(Map<String, Object> beans, String... arguments) {
        return ApiFixture.golden(
                beans,
                Stream.concat(Stream.of("--server.http2.enabled=true"), Stream.of(arguments))
                        .toArray(String[]::new));
    }

    static ApiFixture serving(String... arguments) {
        return serving(Map.of(), arguments);
    }

    static void awaitWatches(ApiFixture served, int count) {
        WaitLimit.until(() -> served.watcherInfos().size() == count);
    }

    @Test
    void watches_share_a_connection_and_end_one_by_one() {
        try (ApiFixture served = serving();
                FrameClient client = FrameClient.to(served.port(), WIDE)) {
            for (int stream = 1; stream < 60; stream += 2) {
                client.get(stream, WATCH);
            }
            for (int stream = 1; stream < 60; stream += 2) {
                assertThat(client.status(stream)).isEqualTo(200);
            }
            awaitWatches(served, 30);
            assertThat(served.gauge("kubemirror.connections.open")).isEqualTo(1);
            client.cancel(1);
            awaitWatches(served, 29);
            served.writer().upsert(ApiSamples.object("a", "x", 111));
            for (int stream = 3; stream < 60; stream += 2) {
                assertThat(client.next(stream).text()).contains("\"resourceVersion\":\"111\"");
            }
        }
    }

    @Test
    void client_that_is_sent_elsewhere_opens_no_more_streams_while_the_others_continue() {
        AtomicLong skipped = new AtomicLong();
        LongSupplier nanos = () -> System.nanoTime() + skipped.get();
        String bookmarks = WATCH + "&allowWatchBookmarks=true";
        try (ApiFixture served = serving(Map.of("nanos", nanos));
                FrameClient client = FrameClient.to(served.port(), WIDE)) {
            client.get(1, bookmarks).get(3, WATCH);
            assertThat(client.status(1)).isEqualTo(200);
            assertThat(client.status(3)).isEqualTo(200);
            awaitWatches(served, 2);
            served.writer().bookmark(KubeObjects.revision(111));
            skipped.addAndGet(Duration.ofMinutes(5).toNanos());
            served.bean(WatchRegistry.class).rebalance(0);

            // The time for a regular one has come, too.
            List<FrameClient.Frame> rest =
                    Stream.generate(() -> client.next(1))
                            .takeWhile(frame -> frame.flags() != FrameClient.END_STREAM)
                            .toList();
            assertThat(rest)
                    .isNotEmpty()
                    .allMatch(frame -> frame.text().contains("BOOKMARK"), "bookmarks");
            WaitLimit.until(() -> !client.isOpen());
            awaitWatches(served, 1);
            served.writer().upsert(ApiSamples.object("a", "x", 112));
            assertThat(client.next(3).text()).contains("\"resourceVersion\":\"112\"");
        }
    }

    @Test
    void disconnect_ends_all_watches_of_the_connection() {
        try (ApiFixture served = serving()) {
            try (FrameClient client =
                    FrameClient.to(served.port(), WIDE).get(1, WATCH).get(3, WATCH)) {
                awaitWatches(served, 2);
                assertThat(client.isOpen()).isTrue();
            }
            awaitWatches(served, 0);
        }
    }

    @Test
    void stalled_stream_holds_its_cursor_and_does_not_stall_its_neighbors() {
        try (ApiFixture served = serving();
                FrameClient client = FrameClient.to(served.port(), 10)) {
            client.get(1, WATCH).get(3, WATCH);
            client.grant(3, WIDE);
            assertThat(client.status(1)).isEqualTo(200);
            assertThat(client.status(3)).isEqualTo(200);
            awaitWatches(served, 2);
            StringBuilder read = new StringBuilder();
            for (int revision = 111; revision <= 130; revision++) {
                served.writer().upsert(ApiSamples.object("a", "x" + revision, revision));
                while (!read.toString().contains("\"resourceVersion\":\"" + revision + "\"")) {
                    read.append(client.next(3).text());
                }
            }
            assertThat(client.next(1).text()).hasSize(10);
            assertThat(client.hasNext(1)).isFalse();

            client.grant(1, WIDE);
            StringBuilder late = new StringBuilder();
            while (!late.toString().contains("\"resourceVersion\":\"130\"")) {
                late.append(client.next(1).text());
            }
            assertThat(late.toString().lines()).hasSize(20);
        }
    }

    @Test
    void stalled_stream_is_reset() {
        try (ApiFixture served = serving(SHORT);
                FrameClient client = FrameClient.to(served.port(), 10).get(1, WATCH)) {
            awaitWatches(served, 1);
            served.writer().upsert(ApiSamples.object("a", "x", 111));
            assertThat(client.status(1)).isEqualTo(200);
            assertThat(client.next(1).type()).isEqualTo(DATA);
            assertThat(client.next(1).type()).isEqualTo(RST_STREAM);
            awaitWatches(served, 0);
        }
    }

    @Test
    void silent_stream_stays_for_any_time_and_its_cancellation_is_noticed() {
        try (ApiFixture served = serving(SHORT);
                FrameClient client = FrameClient.to(served.port(), WIDE)) {
            client.get(1, WATCH).get(3, WATCH);
            awaitWatches(served, 2);
            for (int i = 0; i < 3; i++) {
                // Lasts until it has been idle for too long.
                try (RawClient idle = RawClient.to(served.port())) {
                    assertThat(idle.untilClosed()).isEmpty();
                }
            }
            client.cancel(3);
            awaitWatches(served, 1);
            served.writer().upsert(ApiSamples.object("a", "x", 111));
            assertThat(client.status(1)).isEqualTo(200);
            assertThat(client.next(1).text()).contains("\"resourceVersion\":\"111\"");
        }
    }
}
