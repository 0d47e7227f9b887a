package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

/** Tests clients that disconnect or send something while no event is due (list-watch.md#fa-9). */
@Timeout(120)
class SilentWatchTest {

    private static final String PODS = "/api/v1/pods";
    private static final String WATCH = PODS + "?watch=1&allowWatchBookmarks=false";
    private static final int CLIENTS = 50;
    private static final int SECURE_CLIENTS = 5;

    @AutoClose private static final ApiFixture SERVED = ApiFixture.golden();

    private final long revision = Long.parseLong(SERVED.writer().mirror().revision().digits());
    private final String watch = WATCH + "&resourceVersion=" + revision;

    @Test
    void disconnected_clients_of_idle_watches_are_removed() {
        List<WatchClient> watches =
                Stream.generate(() -> SERVED.client().watch(watch)).limit(CLIENTS).toList();
        assertThat(SERVED.openWatches()).isEqualTo(CLIENTS);
        watches.forEach(WatchClient::close);
        awaitNoWatch(SERVED);
    }

    @Test
    void disconnected_clients_of_idle_watches_over_tls_are_removed() throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        SSLContext tls = certificate.trusting();
        try (ApiFixture secure = ApiFixture.secure(certificate)) {
            List<WatchClient> watches =
                    Stream.generate(
                                    () ->
                                            WatchClient.openSecurely(
                                                    tls,
                                                    secure.port(),
                                                    WATCH + "&resourceVersion=110"))
                            .limit(SECURE_CLIENTS)
                            .toList();
            assertThat(secure.openWatches()).isEqualTo(SECURE_CLIENTS);
            secure.writer().upsert(ApiSamples.object("a", "z", 111));
            watches.forEach(client -> assertThat(client.brief()).isEqualTo("ADDED a/z 111"));
            watches.forEach(WatchClient::close);
            awaitNoWatch(secure);
        }
    }

    /** The server's own interval is a minute. */
    @Test
    void client_may_ask_for_its_own_interval_of_bookmarks() {
        try (ApiFixture others = ApiFixture.of(Map.of("timing", ApiTimings.standard()), "pods")) {
            ApiSamples.fillWithGoldenPods(others.writer());
            String own = PODS + "?watch=1&allowWatchBookmarks=true&bookmarkIntervalSeconds=1";
            long begin = System.nanoTime();
            try (WatchClient client = others.client().watch(own + "&resourceVersion=110")) {
                others.writer().bookmark(KubeObjects.revision(120));
                assertThat(client.brief()).isEqualTo("BOOKMARK 120");
                assertThat(client.brief()).isEqualTo("BOOKMARK 120");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isBetween(Duration.ofSeconds(2), Duration.ofMinutes(1));
        }
    }

    @Test
    void half_closed_connection_ends_the_watch_cleanly() {
        try (WatchClient client = SERVED.client().watch(watch)) {
            client.connection().closeOutput();
            client.expectCleanEnd();
            awaitNoWatch(SERVED);
        }
    }

    @Test
    void connection_is_reused_after_its_watch_ends() {
        try (WatchClient client = SERVED.client().watch(watch)) {
            endWatch(client);
            client.connection().ask(PODS);
            assertThat(client.connection().line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void request_sent_during_a_watch_is_served_after_the_watch() {
        try (WatchClient client = SERVED.client().watch(watch)) {
            client.connection().ask(PODS);
            endWatch(client);
            assertThat(client.connection().line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    /** Begins a new era, which ends all watches. */
    private void endWatch(WatchClient client) {
        SERVED.writer().upsert(ApiSamples.object("a", "x", revision + 10));
        client.expectRevision(revision + 10);
        ApiSamples.synchronize(
                SERVED.writer(), revision + 5, ApiSamples.object("a", "x", revision + 5));
        client.expectCleanEnd();
    }

    private static void awaitNoWatch(ApiFixture served) {
        await().atMost(Duration.ofSeconds(30)).until(() -> served.openWatches() == 0);
    }
}
