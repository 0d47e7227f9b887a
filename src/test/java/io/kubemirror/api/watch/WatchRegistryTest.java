package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what operators see of open watches, and how all watches end. */
class WatchRegistryTest {

    private static final Duration SPREAD = Duration.ofMinutes(2);

    @AutoClose private final ApiFixture served = ApiFixture.golden();

    @Test
    void watch_is_shown_with_its_client_its_selection_and_what_it_was_sent() {
        String path = "/api/v1/namespaces/b/pods?watch=1&resourceVersion=110&labelSelector=!gone";
        try (WatchClient watch = served.watch(path, "User-Agent", "dashboard/1.0")) {
            served.writer().upsert(ApiSamples.object("b", "new", 111));
            assertThat(watch.brief()).isEqualTo("ADDED b/new 111");

            WatcherInfo watcher = followerWith(1);

            assertThat(watcher.client()).startsWith("127.0.0.1:");
            assertThat(watcher.agent()).isEqualTo("dashboard/1.0");
            assertThat(watcher.selection()).isEqualTo("namespace b, labels !gone");
            assertThat(watcher.bytes()).isGreaterThan(100);
        }
    }

    @Test
    void shutdown_spreads_the_end_of_watches() throws Exception {
        WatchRegistry open = new WatchRegistry(System::nanoTime);
        List<WatchConnection> watches = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            watches.add(Watches.add(open));
        }
        List<Long> endedBefore = new ArrayList<>();
        open.end(
                SPREAD,
                duration -> {
                    assertThat(duration).isEqualTo(SPREAD.dividedBy(4));
                    endedBefore.add(
                            watches.stream().filter(WatchConnection::isEndRequested).count());
                });

        assertThat(endedBefore).containsExactly(1L, 2L, 3L, 4L);
        assertThat(watches).allMatch(WatchConnection::isEndRequested);
    }

    @Test
    void one_of_forty_watches_ends_in_each_round_until_so_many_stay() throws Exception {
        AtomicLong now = new AtomicLong();
        WatchRegistry open = new WatchRegistry(now::get);
        List<Watch> watches = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            watches.add(Watches.withBookmarks(now::get));
            open.add(watches.getLast());
        }
        open.rebalance(95);
        assertThat(watches).as("all came lately").noneMatch(Watch::isLeaving);

        now.addAndGet(Duration.ofMinutes(5).toNanos());
        assertThat(
                        Stream.generate(
                                        () -> {
                                            open.rebalance(95);
                                            return watches.stream()
                                                    .filter(Watch::isLeaving)
                                                    .count();
                                        })
                                .limit(4))
                .containsExactly(3L, 5L, 5L, 5L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void client_that_is_sent_elsewhere_loses_its_connection_after_a_clean_end(boolean tls)
            throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        AtomicLong skipped = new AtomicLong();
        LongSupplier nanos = () -> System.nanoTime() + skipped.get();
        String path = "/api/v1/pods?watch=1&resourceVersion=110&allowWatchBookmarks=true";
        Map<String, Object> beans = Map.of("nanos", nanos);
        try (ApiFixture api =
                        tls ? ApiFixture.secure(beans, certificate) : ApiFixture.golden(beans);
                WatchClient watch =
                        tls
                                ? WatchClient.openStalledSecurely(
                                        certificate.trusting(), api.port(), path)
                                : WatchClient.openStalled(api.port(), path)) {
            watch.readOn();
            api.writer().upsert(ApiSamples.object("b", "new", 111));
            assertThat(watch.brief()).isEqualTo("ADDED b/new 111");
            api.writer().bookmark(KubeObjects.revision(112));
            skipped.addAndGet(Duration.ofMinutes(5).toNanos());
            api.bean(WatchRegistry.class).rebalance(0);

            // The time for a regular one has come, too.
            List<String> rest =
                    Stream.generate(watch::next)
                            .takeWhile(line -> !line.equals(WatchClient.CLEAN_END))
                            .map(WatchClient::brief)
                            .toList();
            assertThat(rest).isNotEmpty().containsOnly("BOOKMARK 112");
            assertThat(watch.connection().untilClosed()).isEmpty();
            WaitLimit.until(() -> api.openWatches() == 0);
        }
    }

    @Test
    void no_watch_starts_during_shutdown() {
        WatchRegistry open = new WatchRegistry(System::nanoTime);
        open.end();
        Rejection rejection = catchThrowableOfType(Rejection.class, () -> Watches.add(open));
        assertThat(rejection.reply().code()).isEqualTo(429);
        assertThat(rejection.reply().headers())
                .containsEntry("Retry-After", "5")
                .containsEntry("Connection", "close");
        assertThat(new String(rejection.reply().body(), StandardCharsets.UTF_8))
                .contains("shutting down");
    }

    /** The only one there is, once it was sent so many events. */
    private WatcherInfo followerWith(int events) {
        WaitLimit.until(
                () -> served.watcherInfos().stream().anyMatch(found -> found.events() >= events));
        return served.watcherInfos().getFirst();
    }
}
