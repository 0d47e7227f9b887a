package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.Revision;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Objects;

/** What operators are told of those who watch. */
@Timeout(60)
class ActiveWatchersTest {

    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";

    private final ApiFixture served = ApiFixture.golden();

    @AfterEach
    void stop() {
        served.close();
    }

    @Test
    void a_watch_is_told_with_its_client_its_selection_and_what_it_got() {
        String path = "/api/v1/namespaces/b/pods?watch=1&resourceVersion=110&labelSelector=!gone";
        try (WatchClient watch = served.client().watch(path, "User-Agent", "dashboard/1.0")) {
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
    void whoever_calls_itself_something_endless_is_quoted_in_part() {
        try (WatchClient watch = served.client().watch(WATCH, "User-Agent", "x".repeat(5_000))) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(followerWith(0).agent()).isEqualTo("x".repeat(120));
        }
    }

    @Test
    void a_client_that_takes_nothing_is_seen_to_fall_behind() {
        String padding = "p".repeat(10_000);
        try (WatchClient stalled = WatchClient.openStalled(served.port(), WATCH)) {
            assertThat(stalled.code()).isEqualTo(200);
            for (int revision = 111; revision < 2_111; revision++) {
                served.writer().upsert(ApiSamples.object("b", "p" + padding + revision, revision));
            }
            WatcherInfo watcher = followerWith(0);
            while (watcher.backlog().changes() == 0) {
                watcher = followerWith(0);
            }
            assertThat(watcher.revision().isBefore(new Revision("2110"))).isTrue();
        }
    }

    @Test
    void whoever_has_left_is_not_told_of() {
        try (WatchClient watch = served.client().watch(WATCH)) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(followerWith(0)).isNotNull();
        }
        while (!served.watcherInfos().isEmpty()) {
            Thread.onSpinWait();
        }
    }

    /** The only one there is, once it was sent so many events. */
    private WatcherInfo followerWith(int events) {
        WatcherInfo found = null;
        while (found == null || found.events() < events) {
            found = served.watcherInfos().stream().findFirst().orElse(null);
            Thread.onSpinWait();
        }
        return Objects.requireNonNull(found);
    }
}
