package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

/**
 * Waits for a mirror that is behind a revision that a client has seen elsewhere
 * (list-watch.md#li-20, #ry-2).
 *
 * <p>The revision of a quiet collection rises with every change in the cluster, and its mirror
 * hears of it only once a minute. If the API server has reached the revision, its mirror is asked
 * to progress.
 */
public final class RevisionWait {

    /**
     * How long the mirror may take before the API server is asked, and before it is asked again. A
     * shorter wait asks after half of its time.
     */
    private static final Duration ROUND = Duration.ofMillis(100);

    private final Duration patience;
    private final Floors floors;
    private final BiConsumer<Mirror, Revision> progress;
    private final LongSupplier nanos;

    /**
     * Creates a wait.
     *
     * @param patience the maximum time to wait for a revision
     * @param floors what clients have seen
     * @param progress requests that a mirror soon reaches a revision of the server; must return at
     *     once, and may be called often
     * @param nanos a monotonic clock in nanoseconds
     */
    public RevisionWait(
            Duration patience,
            Floors floors,
            BiConsumer<Mirror, Revision> progress,
            LongSupplier nanos) {
        this.patience = patience;
        this.floors = floors;
        this.progress = progress;
        this.nanos = nanos;
    }

    /** Returns the maximum time to wait. */
    public Duration patience() {
        return patience;
    }

    /**
     * Waits until the mirror reaches a revision, and returns whether it has in time. If nothing
     * changes in it, it is compared with the API server.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean isReached(Mirror mirror, Revision revision, Duration longest)
            throws InterruptedException {
        long begun = nanos.getAsLong();
        if (mirror.await(revision, shorter(longest.dividedBy(2), ROUND))) {
            return true;
        }
        Optional<Revision> newest = floors.ask(mirror, left(longest, begun));
        return isReached(mirror, revision, newest, left(longest, begun));
    }

    /**
     * Waits for a state that shows all that clients have seen. Does not wait for a mirror without
     * content, or for one that does not advance any more.
     *
     * @param min another revision that the client has seen, 0 for none
     * @param longest the maximum time to wait
     * @return the state, empty if there is none in time
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<Mirror.Position> await(Mirror mirror, Revision min, Duration longest)
            throws InterruptedException {
        if (mirror.snapshot().isEmpty()) {
            return Optional.empty();
        }
        long begun = nanos.getAsLong();
        // Read before the state: what it gets later, a later read has to show.
        Revision floor = floors.known(mirror).orElse(null);
        if (floor != null
                && mirror.await(Revision.later(min, floor), shorter(longest.dividedBy(2), ROUND))) {
            return position(mirror, Revision.later(min, floor));
        }
        Duration left = left(longest, begun);
        if (mirror.isRemoved() || !left.isPositive()) {
            return Optional.empty();
        }
        Optional<Revision> newest = floors.ask(mirror, left);
        // The answer covers a floor that was unknown, and lowers one that the server has lost.
        Optional<Revision> shown =
                floor == null
                        ? newest
                        : Optional.of(newest.filter(at -> at.isBefore(floor)).orElse(floor));
        if (shown.isEmpty()) {
            return Optional.empty();
        }
        Revision wanted = Revision.later(min, shown.get());
        return isReached(mirror, wanted, newest, left(longest, begun))
                ? position(mirror, wanted)
                : Optional.empty();
    }

    /** The mirror may have gone back meanwhile. */
    private static Optional<Mirror.Position> position(Mirror mirror, Revision wanted) {
        return mirror.position().filter(now -> !now.snapshot().revision().isBefore(wanted));
    }

    /** Waits for a revision, to which the mirror is asked to progress if the server has it. */
    private boolean isReached(
            Mirror mirror, Revision revision, Optional<Revision> newest, Duration longest)
            throws InterruptedException {
        if (newest.filter(at -> !at.isBefore(revision)).isEmpty()) {
            return mirror.await(revision, longest);
        }
        // Repeated, because a request is not remembered: the mirror ignores one that comes too soon
        // after another, and one that finds a change on its way leaves the mirror at that change.
        long begun = nanos.getAsLong();
        boolean reached;
        Duration left;
        do {
            progress.accept(mirror, revision);
            left = left(longest, begun);
            reached = mirror.await(revision, shorter(left, ROUND));
        } while (!reached && left.isPositive());
        return reached;
    }

    private Duration left(Duration longest, long begun) {
        return longest.minusNanos(nanos.getAsLong() - begun);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
