package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.RevisionWait;
import io.kubemirror.api.read.ServedRevisions;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.StartPosition;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import java.util.Optional;

/** Determines how a watch starts (list-watch.md#watch-start). */
public final class WatchStartResolver {

    private final MirrorDirectory directory;
    private final RevisionWait revisionWait;
    private final ServedRevisions served;

    public WatchStartResolver(
            MirrorDirectory directory, RevisionWait revisionWait, ServedRevisions served) {
        this.directory = directory;
        this.revisionWait = revisionWait;
        this.served = served;
    }

    /**
     * Returns the start of a watch.
     *
     * @param wanted the requested collection
     * @throws Rejection if the watch cannot be opened (list-watch.md#wa-20, #wa-21)
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    WatchStart find(CollectionRequest wanted) throws Rejection, InterruptedException {
        Mirror mirror = wanted.mirror();
        Revision revision =
                ListOptions.revision(wanted.options().state().revision(), mirror.revision());
        directory.stateOf(mirror);
        Long timeout = wanted.options().streaming().timeoutSeconds();
        if (timeout != null && timeout < 0) {
            return new WatchStart.Failed(StatusErrors.deadlineExceeded());
        }
        Boolean initialEvents = wanted.options().streaming().initialEvents();
        boolean beginsWithState = initialEvents != null && initialEvents;
        if (!beginsWithState && !revision.isZero()) {
            return after(revision, mirror);
        }
        awaitServed(mirror);
        if (beginsWithState) {
            return initial(wanted, revision);
        }
        Mirror.Position position = position(mirror);
        // Absent only on a deprecated path, where it means initial events without the closing
        // bookmark (list-watch.md#pa-9).
        return initialEvents == null
                ? new WatchStart.Initial(position, false)
                : new WatchStart.After(position.cursor());
    }

    /**
     * Waits for the revisions that the API server itself has served to clients, so that none of
     * them sees an earlier state (list-watch.md#fr-4).
     */
    private void awaitServed(Mirror mirror) throws Rejection, InterruptedException {
        Revision floor = served.floor(mirror);
        if (!mirror.await(floor, revisionWait.patience())) {
            throw new Rejection(StatusErrors.behindServed(floor, mirror.revision()));
        }
    }

    private WatchStart initial(CollectionRequest wanted, Revision revision)
            throws InterruptedException {
        Optional<Status> stale = revisionWait.await(wanted.mirror(), revision);
        return stale.isPresent()
                ? new WatchStart.Failed(stale.get())
                : new WatchStart.Initial(
                        position(wanted.mirror()), wanted.options().streaming().bookmarks());
    }

    private static WatchStart after(Revision revision, Mirror mirror) {
        return switch (mirror.start(revision)) {
            case StartPosition.From from -> new WatchStart.After(from.cursor());
            case StartPosition.TooOld old ->
                    new WatchStart.Failed(StatusErrors.expiredWatch(revision, old.floor()));
        };
    }

    /** A mirror that was complete once stays complete. */
    private static Mirror.Position position(Mirror mirror) {
        return mirror.position().orElseThrow();
    }
}
