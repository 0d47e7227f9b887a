package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Follower;
import io.kubemirror.model.Revision;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Objects;

/** What operators are told of those who watch. */
@Timeout(60)
class AudienceTest {

    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";

    private final ServedMirrors served = ServedMirrors.golden();

    @AfterEach
    void stop() {
        served.close();
    }

    @Test
    void a_watch_is_told_with_its_client_its_selection_and_what_it_got() {
        String path = "/api/v1/namespaces/b/pods?watch=1&resourceVersion=110&labelSelector=!gone";
        try (WatchClient watch = served.client().watch(path, "User-Agent", "dashboard/1.0")) {
            served.writer().upsert(Samples.object("b", "new", 111));
            assertThat(watch.brief()).isEqualTo("ADDED b/new 111");

            Follower follower = followerWith(1);

            assertThat(follower.client()).startsWith("127.0.0.1:");
            assertThat(follower.agent()).isEqualTo("dashboard/1.0");
            assertThat(follower.selection()).isEqualTo("namespace b, labels !gone");
            assertThat(follower.bytes()).isGreaterThan(100);
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
                served.writer().upsert(Samples.object("b", "p" + padding + revision, revision));
            }
            Follower follower = followerWith(0);
            while (follower.backlog().changes() == 0) {
                follower = followerWith(0);
            }
            assertThat(follower.revision().isBefore(new Revision("2110"))).isTrue();
        }
    }

    @Test
    void whoever_has_left_is_not_told_of() {
        try (WatchClient watch = served.client().watch(WATCH)) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(followerWith(0)).isNotNull();
        }
        while (!served.followers().isEmpty()) {
            Thread.onSpinWait();
        }
    }

    /** The only one there is, once it was sent so many events. */
    private Follower followerWith(int events) {
        Follower found = null;
        while (found == null || found.events() < events) {
            found = served.followers().stream().findFirst().orElse(null);
            Thread.onSpinWait();
        }
        return Objects.requireNonNull(found);
    }
}
