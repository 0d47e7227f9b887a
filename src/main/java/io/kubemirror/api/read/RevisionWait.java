package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

/**
 * Waits for a mirror that is behind a revision that a client has seen elsewhere
 * (list-watch.md#li-20).
 *
 * <p>The revision of a quiet collection rises with every change in the cluster, and its mirror
 * hears of it only once a minute. If the API server has reached the revision, its mirror is asked
 * to progress.
 */
public final class RevisionWait {

    /**
     * How long the mirror may take before the API server is asked, and before it is asked again.
     */
    private static final Duration ROUND = Duration.ofMillis(100);

    private final Duration patience;
    private final RevisionProbe probe;
    private final BiConsumer<Mirror, Revision> progress;
    private final LongSupplier nanos;

    /**
     * Creates a wait.
     *
     * @param patience the maximum time to wait for a revision
     * @param probe requests the revision of the API server
     * @param progress requests that a mirror soon reaches a revision of the server; must return at
     *     once, and may be called often
     * @param nanos a monotonic clock in nanoseconds
     */
    public RevisionWait(
            Duration patience,
            RevisionProbe probe,
            BiConsumer<Mirror, Revision> progress,
            LongSupplier nanos) {
        this.patience = patience;
        this.probe = probe;
        this.progress = progress;
        this.nanos = nanos;
    }

    /** Returns the maximum time to wait. */
    public Duration patience() {
        return patience;
    }

    /**
     * Waits until the mirror reaches a revision.
     *
     * @param allotted the maximum duration of the request
     * @throws Rejection if the mirror does not reach the revision in time (list-watch.md#errors)
     * @throws InterruptedException if the thread is interrupted
     */
    void await(Mirror mirror, Revision revision, Duration allotted)
            throws Rejection, InterruptedException {
        boolean hurried = allotted.compareTo(patience) < 0;
        if (!isReached(mirror, revision, within(allotted))) {
            throw hurried
                    ? new Rejection(Reply.OVERDUE)
                    : new Rejection(StatusErrors.tooLargeRevision(revision, mirror.revision()));
        }
    }

    /** Returns the maximum time to wait within a request of limited duration. */
    public Duration within(Duration allotted) {
        return shorter(allotted, patience);
    }

    /**
     * Waits on behalf of a watch, which reports a failure as an event instead of a rejection
     * (list-watch.md#wa-13).
     *
     * @return the failure, if the mirror does not reach the revision in time
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<Status> await(Mirror mirror, Revision revision) throws InterruptedException {
        return isReached(mirror, revision, patience)
                ? Optional.empty()
                : Optional.of(StatusErrors.tooLargeRevision(revision, mirror.revision()));
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
        if (mirror.await(revision, shorter(longest, ROUND))) {
            return true;
        }
        Duration left = longest.minusNanos(nanos.getAsLong() - begun);
        if (probe.newest(mirror, left).filter(newest -> !newest.isBefore(revision)).isEmpty()) {
            return mirror.await(revision, longest.minusNanos(nanos.getAsLong() - begun));
        }
        // Repeated, because a request is not remembered: the mirror ignores one that comes too soon
        // after another, and one that finds a change on its way leaves the mirror at that change.
        boolean reached;
        do {
            progress.accept(mirror, revision);
            left = longest.minusNanos(nanos.getAsLong() - begun);
            reached = mirror.await(revision, shorter(left, ROUND));
        } while (!reached && left.isPositive());
        return reached;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
