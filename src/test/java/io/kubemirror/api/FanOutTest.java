package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.WaitLimit;
import io.micrometer.core.instrument.Tags;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Tests many clients, some of which are slow or disconnect (list-watch.md#clients). */
@Timeout(120)
class FanOutTest {

    private static final String IMPATIENT = "--server.jetty.connection-idle-timeout=1s";
    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";

    @AutoClose private final ApiFixture served = ApiFixture.golden();
    private final ApiClient client = served.client();

    @Test
    void burst_reaches_200_watchers_once_and_in_order() {
        List<WatchClient> watches = Stream.generate(() -> client.watch(WATCH)).limit(200).toList();
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
                WatchClient lively = client.watch(WATCH)) {
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
    @Test
    void stalled_watch_client_is_disconnected() {
        try (ApiFixture impatient = ApiFixture.golden(IMPATIENT);
                WatchClient stalled = WatchClient.openStalled(impatient.port(), WATCH)) {
            assertDisconnected(stalled, impatient);
        }
    }

    /**
     * A client that takes no byte for a minute while something is waiting is disconnected
     * (list-watch.md#fa-5).
     */
    @Test
    void stalled_watch_client_over_tls_is_disconnected() throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        try (ApiFixture impatient = ApiFixture.secure(certificate, IMPATIENT);
                WatchClient stalled =
                        WatchClient.openStalledSecurely(
                                certificate.trusting(), impatient.port(), WATCH)) {
            assertDisconnected(stalled, impatient);
        }
    }

    /**
     * A client that takes no byte for a minute while something is waiting is disconnected
     * (list-watch.md#fa-5).
     */
    @Test
    void stalled_list_client_is_disconnected() {
        try (ApiFixture impatient = ApiFixture.golden(IMPATIENT)) {
            fill(impatient);
            try (WatchClient stalled =
                    WatchClient.openStalled(impatient.port(), "/api/v1/pods?resourceVersion=0")) {
                assertThat(stalled.code()).isEqualTo(200);
                awaitNoConnections(impatient);
            }
        }
    }

    private static void assertDisconnected(WatchClient stalled, ApiFixture served) {
        assertThat(stalled.code()).isEqualTo(200);
        fill(served);
        awaitNoConnections(served);
        assertThat(served.count("kubemirror.watches.ended", Tags.of("reason", "stalled")))
                .isEqualTo(1);
    }

    /** Writes more than any socket takes. */
    private static void fill(ApiFixture served) {
        for (int revision = 111; revision < 311; revision++) {
            String name = "p" + revision + "-" + "p".repeat(100_000);
            served.writer().upsert(ApiSamples.object("b", name, revision));
        }
    }

    private static void awaitNoConnections(ApiFixture served) {
        WaitLimit.until(
                () -> served.openWatches() + served.gauge("kubemirror.connections.open") == 0);
    }
}
