package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;

import org.jspecify.annotations.Nullable;

/**
 * Finds the states of mirrors that requests ask for, and waits for them (list-watch.md#gets,
 * #list-combinations, #paging).
 */
public final class MirroredStates {

    private final MirrorDirectory directory;
    private final RevisionWait revisionWait;
    private final RevisionProbe probe;
    private final Floors floors;

    /**
     * Creates an instance.
     *
     * @param probe requests the revision of the API server
     * @param floors what clients have seen of each mirror
     */
    public MirroredStates(
            MirrorDirectory directory,
            RevisionWait revisionWait,
            RevisionProbe probe,
            Floors floors) {
        this.directory = directory;
        this.revisionWait = revisionWait;
        this.probe = probe;
        this.floors = floors;
    }

    /**
     * Returns the state for a page of a list.
     *
     * @param token where the page begins, null at the beginning
     * @return empty if no state shows all that clients have seen in time
     * @throws Rejection if the requested state is not available
     * @throws InterruptedException if the thread is interrupted while it waits for the state
     */
    Optional<Snapshot> of(CollectionRequest wanted, @Nullable ContinueToken token, ReadTime time)
            throws Rejection, InterruptedException {
        ListOptions options = wanted.options();
        Mirror mirror = wanted.mirror();
        if (token != null) {
            token.position(wanted.order());
            if (!options.isOpen()) {
                throw Rejection.badRequest(
                        "specifying resource version is not allowed when using continue");
            }
            Revision shown = token.revision();
            return shown == null
                    ? present(mirror, "", time)
                    : exact(mirror, shown, expired(token), time);
        }
        String text = options.revision();
        // At the revision, or not older (list-watch.md#li-7 to #li-9).
        Revision revision = ListOptions.revision(text, mirror.revision());
        return !text.isEmpty() && wanted.isExact() && !revision.isZero()
                ? exact(mirror, revision, StatusErrors.expiredList(), time)
                : present(mirror, text, time);
    }

    private static Status expired(ContinueToken token) {
        // A position in an order means nothing in another state (list-watch.md#or-5).
        return token.order().isEmpty()
                ? StatusErrors.expiredContinue(token.inconsistent().encode())
                : StatusErrors.expiredList();
    }

    private Optional<Snapshot> exact(
            Mirror mirror, Revision revision, Status expired, ReadTime time)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        await(mirror, revision, time);
        return Optional.of(mirror.snapshot(revision).orElseThrow(() -> new Rejection(expired)));
    }

    /**
     * Returns a present state that is not before a revision and shows all that clients have seen;
     * empty if there is none in time (list-watch.md#fr-4, #ry-1). A mirror without content is not
     * waited for.
     *
     * @param text the revision that the request names, empty for none
     * @throws Rejection if the mirror has no content, or does not reach the revision in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    Optional<Snapshot> present(Mirror mirror, String text, ReadTime time)
            throws Rejection, InterruptedException {
        directory.stateOf(mirror);
        Revision revision = ListOptions.revision(text, mirror.revision());
        if (revision.isAfter(Revision.later(time.min(), floors.of(mirror)))) {
            // Nobody is known to have seen it, and it may not exist.
            await(mirror, revision, time);
        }
        return revisionWait
                .await(mirror, time.min(), time.left(revisionWait.patience()))
                .map(Mirror.Position::snapshot);
    }

    private void await(Mirror mirror, Revision revision, ReadTime time)
            throws Rejection, InterruptedException {
        Duration patience = revisionWait.patience();
        if (!revisionWait.isReached(mirror, revision, time.left(patience))) {
            throw time.allotted().compareTo(patience) < 0
                    ? new Rejection(Reply.OVERDUE)
                    : new Rejection(StatusErrors.tooLargeRevision(revision, mirror.revision()));
        }
    }

    /**
     * Returns whether a mirror reaches in time the revision that the API server has now
     * (list-watch.md#fr-3).
     *
     * @throws Rejection if the API server does not tell its revision
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    boolean isVerified(Mirror mirror, ReadTime time) throws Rejection, InterruptedException {
        ResourceType type = mirror.type().orElse(null);
        if (type == null || mirror.snapshot().isEmpty()) {
            return false;
        }
        Revision newest =
                switch (probe.newest(mirror, type, time.allotted())) {
                    case Result.Success(var page) -> page.revision();
                    case Result.Failed(var failure) -> throw new Rejection(status(failure));
                };
        // The time of the API server does not count.
        Duration patience = revisionWait.patience();
        return revisionWait.isReached(
                mirror,
                newest,
                time.allotted().compareTo(patience) < 0 ? time.allotted() : patience);
    }

    /** Returns the Status that is sent to the client when the API server did not respond. */
    public static Status status(Failure failure) {
        return failure instanceof Failure.Refused(Status status, var _) && status.code() >= 400
                ? status
                : StatusErrors.unavailable(failure.summary());
    }
}
