package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.server.GracefulShutdown.ShutdownProperties;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.api.watch.WatchRegistry;
import io.kubemirror.api.watch.Watches;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.testing.LogLines;
import io.kubemirror.testing.RestClient;

import org.junit.jupiter.api.Test;

/** Tests the shutdown of the API (list-watch.md#in-6, #in-7). */
class GracefulShutdownTest {

    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";
    private static final Duration DELAY = Duration.ofMinutes(7);
    private static final Duration SPREAD = Duration.ofMinutes(2);

    /** Lets time pass when the test says. */
    private static final class ManualSleeper implements Sleeper {

        private final BlockingQueue<Duration> asked = new LinkedBlockingQueue<>();
        private final Semaphore over = new Semaphore(0);

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            if (!Set.of(DELAY, SPREAD).contains(duration)) {
                // Another user, who waits until the application ends.
                new Semaphore(0).acquire();
            }
            asked.add(duration);
            over.acquire();
        }
    }

    private final ManualSleeper sleeper = new ManualSleeper();

    @Test
    void everything_is_served_during_the_delay_and_only_health_afterwards()
            throws InterruptedException {
        ApiFixture served =
                ApiFixture.golden(
                        Map.of("sleeper", sleeper, "plan", new ShutdownProperties(DELAY, SPREAD)));
        RestClient client = served.client();
        WatchClient first = served.watch(WATCH);
        Thread closing = Thread.ofVirtual().start(served::close);
        assertThat(sleeper.asked.take()).isEqualTo(DELAY);

        assertThat(client.get("/api/v1/pods").code()).isEqualTo(200);
        WatchClient second = served.watch(WATCH);
        ApiSamples.delete(served.writer(), "a", "x", 111);
        assertThat(second.brief()).isEqualTo("DELETED a/x 111");
        assertThat(first.brief()).isEqualTo("DELETED a/x 111");

        sleeper.over.release();
        assertThat(sleeper.asked.take()).isEqualTo(SPREAD);
        for (String path : List.of("/api/v1/pods", WATCH, "/api", "/version", "/foo")) {
            var refused = client.get(path);
            assertThat(refused.code()).as(path).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo("5");
            assertThat(refused.header("Connection")).isEqualTo("close");
            assertThat(refused.body()).contains("\"reason\":\"TooManyRequests\"");
        }
        for (String path : List.of("/readyz", "/livez", "/healthz")) {
            assertThat(client.get(path).code()).isNotEqualTo(429);
        }

        sleeper.over.release();
        closing.join();
        for (WatchClient watch : List.of(first, second)) {
            watch.expectCleanEnd();
        }
    }

    @Test
    void interrupt_ends_all_watches_immediately() throws Exception {
        WatchRegistry open = new WatchRegistry(System::nanoTime);
        WatchConnection watch = Watches.add(open);
        RequestTracker requests = new RequestTracker();
        GracefulShutdown shutdown =
                new GracefulShutdown(
                        new ShutdownProperties(DELAY, SPREAD),
                        open,
                        requests,
                        _ -> {
                            throw new InterruptedException();
                        },
                        System::nanoTime);
        shutdown.start();
        assertThat(shutdown.isRunning()).isTrue();

        try (LogLines log = new LogLines(GracefulShutdown.class)) {
            shutdown.stop();

            assertThat(log.messages()).hasSize(2);
            assertThat(log.messages().getFirst())
                    .isEqualTo(
                            "shutting down: 1 open watches and 0 other requests; they end after"
                                    + " 420000 ms, within 125000 ms");
            assertThat(log.messages().getLast())
                    .matches("shut down in \\d+ ms: 1 watches ended, 0 responses were cut");
        }
        assertThat(shutdown.isRunning()).isFalse();
        assertThat(watch.isEndRequested()).isTrue();
        assertThat(requests.isClosed()).isTrue();
    }

    /** Such a request has passed the filter before the shutdown. */
    @Test
    void request_that_begins_after_the_shutdown_is_refused_and_not_waited_for() throws Exception {
        RequestTracker requests = new RequestTracker();
        requests.close();

        assertThat(requests.begin()).isFalse();
        requests.awaitLast(Duration.ofDays(1));
    }
}
