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
 * Waits for a mirror that is behind what a client has seen elsewhere (list-watch.md#li-20).
 *
 * @param patience how long to wait
 */
public record RevisionWait(Duration patience) {

    /**
     * Waits until the mirror has come to a revision.
     *
     * @param allotted how long the request may take
     * @throws Rejection if it did not come so far in time (list-watch.md#errors)
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

    /** How long to wait in a request that may take only so long. */
    public Duration within(Duration allotted) {
        return allotted.compareTo(patience) < 0 ? allotted : patience;
    }

    /**
     * Waits for a watch, whose failure is an event and no rejection (list-watch.md#wa-13).
     *
     * @return the failure, if the mirror did not come so far in time
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<Status> await(Mirror mirror, Revision revision) throws InterruptedException {
        return mirror.await(revision, patience)
                ? Optional.empty()
                : Optional.of(StatusErrors.tooLargeRevision(revision, mirror.revision()));
    }
}
