package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Start;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import java.util.Optional;

/** Finds out what a watch begins with (spec 5.1). */
final class WatchStarts {

    private final MirrorDirectory directory;
    private final Freshness freshness;
    private final ServedRevisions served;

    WatchStarts(MirrorDirectory directory, Freshness freshness, ServedRevisions served) {
        this.directory = directory;
        this.freshness = freshness;
        this.served = served;
    }

    /**
     * The beginning of a watch.
     *
     * @param wanted what to watch
     * @throws Rejection if it cannot be begun at all (WA-20, WA-21)
     * @throws InterruptedException if the thread is interrupted while it waits for a revision
     */
    WatchStart find(CollectionRequest wanted) throws Rejection, InterruptedException {
        Mirror mirror = wanted.mirror();
        String text = wanted.options().state().revision();
        Revision revision =
                text.isEmpty() ? Revision.ZERO : RevisionParameter.parse(text, mirror.revision());
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
        // Absent only on a deprecated path, where it means initial events without their end (PA-9).
        return initialEvents == null
                ? new WatchStart.Initial(position, false)
                : new WatchStart.After(position.cursor());
    }

    /**
     * A client that has been shown a later state by the server itself must not be shown an earlier
     * one (FR-4).
     */
    private void awaitServed(Mirror mirror) throws Rejection, InterruptedException {
        Revision floor = served.floor(mirror);
        if (!mirror.await(floor, freshness.patience())) {
            throw new Rejection(StatusErrors.behindServed(floor, mirror.revision()));
        }
    }

    private WatchStart initial(CollectionRequest wanted, Revision revision)
            throws InterruptedException {
        Optional<Status> stale = freshness.await(wanted.mirror(), revision);
        return stale.isPresent()
                ? new WatchStart.Failed(stale.get())
                : new WatchStart.Initial(
                        position(wanted.mirror()), wanted.options().streaming().bookmarks());
    }

    private static WatchStart after(Revision revision, Mirror mirror) {
        return switch (mirror.start(revision)) {
            case Start.From from -> new WatchStart.After(from.cursor());
            case Start.TooOld old ->
                    new WatchStart.Failed(StatusErrors.expiredWatch(revision, old.floor()));
        };
    }

    /** A mirror that was complete once stays complete. */
    private static Mirror.Position position(Mirror mirror) {
        return mirror.position().orElseThrow();
    }
}
