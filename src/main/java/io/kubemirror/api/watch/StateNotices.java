package io.kubemirror.api.watch;

import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.read.StalenessPolicy.MirrorState;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.State;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Optional;

/**
 * Decides when the client of a watch is sent the state of its mirror. A client that has been sent
 * nothing assumes that the mirror is synced, and a slow one is sent only the newest state
 * (list-watch.md#fr-6).
 *
 * <p>Used by one thread at a time, within a run of the watch's task.
 */
final class StateNotices {

    private final Mirror mirror;
    private final StalenessPolicy staleness;
    private State known = State.SYNCED;

    StateNotices(Mirror mirror, StalenessPolicy staleness) {
        this.mirror = mirror;
        this.staleness = staleness;
    }

    /** Returns the state if it is due, which the client then knows. */
    Optional<MirrorState> take() {
        MirrorState now = staleness.state(mirror);
        boolean due = now.state() != known;
        known = now.state();
        return due ? Optional.of(now) : Optional.empty();
    }

    /**
     * Returns the time until the state is due without a report of the mirror: zero if it is not the
     * one that the client knows, null for never.
     */
    @Nullable Duration untilDue() {
        MirrorState now = staleness.state(mirror);
        return now.state() == known ? now.untilStale() : Duration.ZERO;
    }
}
