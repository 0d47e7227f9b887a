package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.http.ListOptions;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.KnownStates;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.api.read.RevisionWait;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import java.util.Optional;

/** Determines how a watch starts (list-watch.md#watch-start). */
public record WatchStartResolver(
        MirrorDirectory directory, RevisionWait revisionWait, KnownStates known) {

    /**
     * Returns the first phase of a watch.
     *
     * @param wanted the requested collection
     * @param min a revision that the initial state must not be before, 0 for any
     * @throws Rejection if the watch cannot be opened (list-watch.md#wa-20, #wa-21)
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    WatchPhase find(CollectionRequest wanted, Revision min) throws Rejection, InterruptedException {
        Mirror mirror = wanted.mirror();
        Revision revision =
                ListOptions.revision(wanted.options().state().revision(), mirror.revision());
        directory.stateOf(mirror);
        Long timeout = wanted.options().streaming().timeoutSeconds();
        if (timeout != null && timeout < 0) {
            return WatchPhase.failed(StatusErrors.deadlineExceeded());
        }
        Boolean initialEvents = wanted.options().streaming().initialEvents();
        boolean beginsWithState = initialEvents != null && initialEvents;
        if (!beginsWithState && !revision.isZero()) {
            return startAfter(revision, mirror);
        }
        Revision floor = Revision.later(min, known.floor(mirror));
        awaitShown(mirror, floor);
        if (initialEvents != null && wanted.options().state().revision().isEmpty()) {
            revisionWait.awaitNewest(mirror, revisionWait.patience());
        }
        if (beginsWithState) {
            return initial(wanted, revision, floor);
        }
        Mirror.Position position = awaitShown(mirror, floor);
        // Absent only on a deprecated path, where it means initial events without the closing
        // bookmark (list-watch.md#pa-9).
        return initialEvents == null
                ? WatchPhase.initial(position, false)
                : WatchPhase.after(position.cursor());
    }

    /**
     * Waits for answered writes and for the revisions that the API server itself has served to
     * clients, so that none of them sees an earlier state (list-watch.md#ry-3, #fr-4).
     */
    private Mirror.Position awaitShown(Mirror mirror, Revision floor)
            throws Rejection, InterruptedException {
        return known.await(mirror, floor, revisionWait.patience())
                .orElseThrow(
                        () ->
                                new Rejection(
                                        floor.isAfter(mirror.revision())
                                                ? StatusErrors.behindServed(
                                                        floor, mirror.revision())
                                                : StatusErrors.behindWrites()));
    }

    private WatchPhase initial(CollectionRequest wanted, Revision revision, Revision floor)
            throws Rejection, InterruptedException {
        Optional<Status> stale = revisionWait.await(wanted.mirror(), revision);
        return stale.isPresent()
                ? WatchPhase.failed(stale.get())
                : WatchPhase.initial(
                        awaitShown(wanted.mirror(), floor),
                        wanted.options().streaming().bookmarks());
    }

    private static WatchPhase startAfter(Revision revision, Mirror mirror) {
        return switch (mirror.start(revision)) {
            case StartPosition.From from -> WatchPhase.after(from.cursor());
            case StartPosition.TooOld old ->
                    WatchPhase.failed(StatusErrors.expiredWatch(revision, old.floor()));
        };
    }
}
