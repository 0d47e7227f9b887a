package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Follower;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Start;
import io.kubemirror.mirror.Window;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

class WatchLagsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private long now = Duration.ofDays(1).toNanos();
    private final Mirror mirror =
            new Mirror(ServedMirrors.scope("pods", ""), Window.standard(), Runnable::run);
    private final MirrorWriter writer = new MirrorWriter(mirror, () -> now);
    private final List<Follower> followers = new ArrayList<>();
    private final WatchLags lags = new WatchLags(mirror, _ -> List.copyOf(followers), () -> now);

    /** A hundred changes, one every second. */
    WatchLagsTest() {
        Samples.fillWithGoldenPods(writer);
        for (int i = 1; i <= 100; i++) {
            now += SECOND.toNanos();
            writer.upsert(Samples.object("a", "z", 200 + i));
        }
    }

    @Test
    void nobody_lags_where_nobody_watches() {
        assertThat(lags.seconds(1)).isZero();
        assertThat(lags.changes(0.5)).isZero();
    }

    @Test
    void quantiles_are_those_of_all_watches() {
        for (int i = 1; i <= 100; i++) {
            followers.add(follower(200 + i, "", false));
        }

        assertThat(lags.changes(0.5)).isEqualTo(49);
        assertThat(lags.changes(0.9)).isEqualTo(89);
        assertThat(lags.changes(1)).isEqualTo(99);
        assertThat(lags.seconds(0.5)).isEqualTo(48);
        assertThat(lags.seconds(1)).isEqualTo(98);
    }

    /** What it sleeps through is not for it. */
    @Test
    void a_watch_of_a_selection_lags_only_while_something_is_on_its_way() {
        followers.add(follower(210, "labels app=v", false));
        assertThat(lags.changes(1)).isZero();

        now += SECOND.toNanos();
        followers.add(follower(280, "labels app=v", true));
        assertThat(lags.changes(1)).isEqualTo(20);
        assertThat(lags.seconds(1)).isEqualTo(20);
    }

    @Test
    void the_watches_are_looked_at_once_a_second_at_most() {
        assertThat(lags.changes(1)).isZero();
        followers.add(follower(290, "", false));
        now += SECOND.toNanos() - 1;
        assertThat(lags.changes(1)).isZero();
        now += 1;
        assertThat(lags.changes(1)).isEqualTo(10);
    }

    private Follower follower(long revision, String selection, boolean writing) {
        Cursor cursor =
                mirror.start(Samples.revision(revision)) instanceof Start.From(Cursor from)
                        ? from
                        : new Cursor(Samples.revision(revision), -1);
        return new Follower("c", "", selection, Instant.EPOCH, cursor, writing, 0, 0);
    }
}
