package io.kubemirror.api.read;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import java.time.Duration;
import java.util.Optional;

/**
 * Waits for a mirror that is behind a revision that a client has seen elsewhere
 * (list-watch.md#li-20).
 *
 * @param patience the maximum time to wait
 */
public record RevisionWait(Duration patience) {

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
        if (!mirror.await(revision, within(allotted))) {
            throw hurried
                    ? new Rejection(Reply.OVERDUE)
                    : new Rejection(StatusErrors.tooLargeRevision(revision, mirror.revision()));
        }
    }

    /**
     * Waits until a union shows every change that its members show, so that no client sees an
     * earlier state after a later one (list-watch.md#un-3). Any other mirror does so always.
     *
     * @param allotted the maximum duration of the request
     * @throws Rejection if the union does not catch up in time
     * @throws InterruptedException if the thread is interrupted
     */
    public void awaitNewest(Mirror mirror, Duration allotted)
            throws Rejection, InterruptedException {
        Revision newest = mirror.newest();
        if (!mirror.await(newest, within(allotted))) {
            throw allotted.compareTo(patience) < 0
                    ? new Rejection(Reply.OVERDUE)
                    : new Rejection(StatusErrors.behindServed(newest, mirror.revision()));
        }
    }

    /** Returns the maximum time to wait within a request of limited duration. */
    public Duration within(Duration allotted) {
        return allotted.compareTo(patience) < 0 ? allotted : patience;
    }

    /**
     * Waits on behalf of a watch, which reports a failure as an event instead of a rejection
     * (list-watch.md#wa-13).
     *
     * @return the failure, if the mirror does not reach the revision in time
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<Status> await(Mirror mirror, Revision revision) throws InterruptedException {
        return mirror.await(revision, patience)
                ? Optional.empty()
                : Optional.of(StatusErrors.tooLargeRevision(revision, mirror.revision()));
    }
}
