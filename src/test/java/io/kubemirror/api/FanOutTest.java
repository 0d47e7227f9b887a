package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.WaitLimit;
import io.micrometer.core.instrument.Tags;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what many, slow, silent, and disconnecting clients receive (list-watch.md#clients). */
class FanOutTest {

    private static final String IMPATIENT = "--server.jetty.connection-idle-timeout=3s";
    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";

    @AutoClose private final ApiFixture served = ApiFixture.golden();

    @Test
    void burst_reaches_200_watchers_once_and_in_order() {
        List<WatchClient> watches = Stream.generate(() -> served.watch(WATCH)).limit(200).toList();
        try {
            List<String> expected = new ArrayList<>();
            for (int revision = 111; revision < 311; revision++) {
                served.writer().upsert(ApiSamples.object("b", "p" + revision, revision));
                expected.add("ADDED b/p" + revision + " " + revision);
            }
            for (WatchClient watch : watches) {
                List<String> received =
                        Stream.generate(watch::brief).limit(expected.size()).toList();
                assertThat(received).isEqualTo(expected);
            }
            assertThat(served.openWatches()).isEqualTo(200);
            // An event is counted once it is sent, which may be after it has arrived.
            WaitLimit.until(() -> served.count("kubemirror.watch.events.delivered") >= 200 * 200);
            assertThat(served.count("kubemirror.watch.events.delivered")).isEqualTo(200 * 200);
        } finally {
            watches.forEach(WatchClient::close);
        }
    }

    @Test
    void stalled_client_does_not_delay_others() {
        String padding = "p".repeat(10_000);
        try (WatchClient stalled = WatchClient.openStalled(served.port(), WATCH);
                WatchClient lively = served.watch(WATCH)) {
            for (int revision = 111; revision < 2_111; revision++) {
                served.writer().upsert(ApiSamples.object("b", padding, revision));
                if (revision % 100 == 0) {
                    lively.expectRevision(revision);
                }
            }
            assertThat(stalled.code()).isEqualTo(200);
            assertThat(served.openWatches()).isEqualTo(2);
        }
    }

    /**
     * A client that takes no byte for a minute while something is waiting is disconnected
     * (list-watch.md#fa-5).
     */
    @ParameterizedTest
    @CsvSource({WATCH + ", 1", PODS + "?resourceVersion=0, 0"})
    void stalled_client_is_disconnected(String path, int watches) {
        try (ApiFixture impatient = ApiFixture.golden(IMPATIENT)) {
            fill(impatient);
            try (WatchClient stalled = WatchClient.openStalled(impatient.port(), path)) {
                assertThat(stalled.code()).isEqualTo(200);
                WaitLimit.until(() -> impatient.gauge("kubemirror.connections.open") == 0);
            }
            awaitNoWatch(impatient);
            assertThat(impatient.count("kubemirror.watches.ended", Tags.of("reason", "stalled")))
                    .isEqualTo(watches);
        }
    }

    /** Writes more than any socket takes. */
    private static void fill(ApiFixture served) {
        for (int revision = 111; revision < 311; revision++) {
            String name = "p" + revision + "-" + "p".repeat(100_000);
            served.writer().upsert(ApiSamples.object("b", name, revision));
        }
    }

    private static final String PADDING = "p".repeat(10_000);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void slow_client_receives_all_events(boolean tls) throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        try (ApiFixture slow = tls ? ApiFixture.secure(certificate) : ApiFixture.golden();
                WatchClient late =
                        tls
                                ? WatchClient.openStalledSecurely(
                                        certificate.trusting(), slow.port(), WATCH)
                                : WatchClient.openStalled(slow.port(), WATCH)) {
            expectEverything(late, fallBehind(slow));
        }
    }

    /** HTTP/1.0 has no chunks, so its frames take another way. */
    @Test
    void http_1_0_client_receives_all_events_without_chunks() {
        try (RawClient client = RawClient.to(served.port())) {
            client.send("GET " + WATCH + " HTTP/1.0\r\n\r\n");
            assertThat(client.head())
                    .contains("HTTP/1.1 200 OK")
                    .noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("transfer-enc"));
            int last = fallBehind(served);
            for (int revision = 111; revision <= last; revision++) {
                assertThat(client.line())
                        .startsWith("{\"type\":\"ADDED\"")
                        .contains("\"resourceVersion\":\"" + revision + "\"");
            }
        }
    }

    /** Changes objects until the only watch has something that its client does not take. */
    private static int fallBehind(ApiFixture served) {
        int revision = 110;
        while (served.backlog() < 500) {
            revision++;
            served.writer().upsert(ApiSamples.object("b", PADDING + revision, revision));
        }
        return revision;
    }

    private static void expectEverything(WatchClient late, int last) {
        late.readOn();
        for (int revision = 111; revision <= last; revision++) {
            assertThat(late.next())
                    .startsWith("{\"type\":\"ADDED\"")
                    .contains("\"resourceVersion\":\"" + revision + "\"");
        }
    }

    private static final String PODS = "/api/v1/pods";
    private static final String SILENT =
            PODS + "?watch=1&allowWatchBookmarks=false&resourceVersion=110";
    private static final int CLIENTS = 50;

    @Test
    void disconnected_clients_of_idle_watches_are_removed() {
        List<WatchClient> watches =
                Stream.generate(() -> served.watch(SILENT)).limit(CLIENTS).toList();
        assertThat(served.openWatches()).isEqualTo(CLIENTS);
        watches.forEach(WatchClient::close);
        awaitNoWatch(served);
    }

    @Test
    void request_sent_during_a_watch_is_served_after_the_watch() {
        try (WatchClient watch = served.watch(SILENT)) {
            watch.connection().ask(PODS);
            endWatch(watch);
            assertThat(watch.connection().line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    /** Begins a new era, which ends all watches. */
    private void endWatch(WatchClient watch) {
        served.writer().upsert(ApiSamples.object("a", "x", 120));
        watch.expectRevision(120);
        ApiSamples.synchronize(served.writer(), 115, ApiSamples.object("a", "x", 115));
        watch.expectCleanEnd();
    }

    private static void awaitNoWatch(ApiFixture served) {
        WaitLimit.until(() -> served.openWatches() == 0);
    }
}
