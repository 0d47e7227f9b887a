package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * Handles {@link ReflectorState.Opening} and {@link ReflectorState.Watching}: applies changes as
 * they happen.
 */
final class WatchFollower extends StateHandler {

    /** A server that keeps the timeout does not end a watch by so much earlier. */
    private static final Duration EARLY = Duration.ofSeconds(2);

    WatchFollower(StateMachine machine) {
        super(machine);
    }

    ReflectorState open(ReflectorState.Opening state) {
        ResourceCollection collection = state.collection();
        Revision wanted = machine.resyncRequest.takeProgress();
        if (wanted != null) {
            advance(collection, wanted);
        } else if (machine.schema.isDue()) {
            // The server may take its time, or show something else.
            machine.reporter.enter(Phase.SYNCHRONIZING);
        }
        return switch (open(collection)) {
            case Result.Success(var stream) -> opened(collection, stream);
            case Result.Failed(var failure) -> {
                machine.schema.suspect();
                yield failed(state, failure);
            }
        };
    }

    private Result<WatchStream> open(ResourceCollection collection) {
        machine.watches.begin();
        Revision from = machine.writer.mirror().revision();
        return watch(collection, from, /* initialEvents= */ false, /* ahead= */ false);
    }

    private ReflectorState failed(ReflectorState.Opening state, Failure failure) {
        ResourceCollection collection = state.collection();
        return switch (failure) {
            case Failure.Refused refused -> refused(state, refused);
            case Failure.Unreachable unreachable ->
                    machine.failures.watchFailed(
                            failure,
                            unreachable.refused() ? state : machine.failures.reopen(collection));
            case Failure.Malformed _ ->
                    machine.failures.watchFailed(failure, machine.failures.relist(collection));
        };
    }

    /**
     * The watch is open before the server is asked, so that no event is delayed
     * (list-watch.md#up-40), and a later change of the schema ends it (list-watch.md#up-48).
     */
    private ReflectorState opened(ResourceCollection collection, WatchStream stream) {
        boolean isKept = false;
        try {
            ReflectorState instead = instead(collection);
            isKept = instead == null;
            return instead == null ? watching(collection, stream, machine.reporter.now()) : instead;
        } finally {
            if (!isKept) {
                stream.close();
            }
        }
    }

    /** Returns what must follow in place of the watch that is open now, null if nothing must. */
    private @Nullable ReflectorState instead(ResourceCollection collection) {
        if (machine.schema.isDue() && !machine.schema.isSame(collection)) {
            return new ReflectorState.Resolving();
        }
        return machine.retryState.isDoubtful() ? unverified(collection) : null;
    }

    /**
     * Advances the mirror to a revision if the server has the same objects there
     * (list-watch.md#ry-2). Otherwise a change is on its way, and the watch brings it.
     *
     * <p>Rejected: a short watch, before whose end the server sends a bookmark. It sends none if
     * the last change of the type came before the watch.
     */
    private void advance(ResourceCollection collection, Revision wanted) {
        Instant begun = machine.reporter.now();
        try {
            if (!wanted.isAfter(machine.writer.mirror().revision())) {
                // Its last events have come before the stream was closed.
                return;
            }
            Snapshot state = machine.writer.mirror().snapshot().orElseThrow();
            Auditor.Audit audit = Auditor.compare(machine, collection.type(), state, wanted);
            if (audit instanceof Auditor.Audit.Consistent) {
                machine.reporter.showing();
                machine.writer.confirm(wanted);
            }
        } finally {
            machine.resyncRequest.progressed(Duration.between(begun, machine.reporter.now()));
        }
    }

    private ReflectorState refused(ReflectorState.Opening state, Failure.Refused refused) {
        ResourceCollection collection = state.collection();
        if (FailureHandler.isExpired(refused)) {
            return machine.failures.watchExpired(refused, collection);
        }
        return switch (refused.status().code()) {
            case 405 -> {
                machine.capabilities.watchRefused();
                yield machine.failures.poll(collection);
            }
            case 429 -> machine.failures.watchFailed(refused, state);
            default -> machine.failures.watchFailed(refused, machine.failures.relist(collection));
        };
    }

    /**
     * Verifies, after the server was unreachable, that the server that answers now is not older
     * than the mirror (list-watch.md#re-12).
     *
     * <p>A server that was restored from a backup accepts a watch from a revision that it does not
     * have yet, and sends nothing until it reaches that revision (list-watch.md#wa-10): no 410, no
     * bookmark. So a watch is not followed while the server fails to tell. One that refuses to tell
     * for good is believed, except about restored content.
     *
     * <p>Rejected: a request after every end of a watch. A watch that ended properly came from this
     * very server. The auditor detects what this misses.
     *
     * @return what must follow in place of the watch, null if nothing must
     */
    private @Nullable ReflectorState unverified(ResourceCollection collection) {
        List<KubeObject> first = new ArrayList<>();
        ReflectorState list = new ReflectorState.Synchronizing(collection, SyncStart.MOST_RECENT);
        return switch (newest(collection, first::add)) {
            case Result.Success(var page)
                    when page.revision().isBefore(machine.writer.mirror().revision()) ->
                    list;
            case Result.Success(var page) -> isMirrored(first, collection) ? null : list;
            case Result.Failed(var failure) when FailureHandler.isLasting(failure) ->
                    machine.writer.isRestored() ? list : null;
            case Result.Failed(var failure) ->
                    machine.failures.watchFailed(failure, machine.failures.reopen(collection));
        };
    }

    /**
     * Requests the most recent revision of a collection, by a list of at most one object and
     * without selectors, for which an old server would have to search.
     *
     * @param first receives the object
     */
    private Result<ListMeta> newest(ResourceCollection collection, Consumer<KubeObject> first) {
        Selection all = Selection.everything();
        Selection unselected =
                new Selection(collection.selection().namespace(), all.labels(), all.fields());
        ResourceCollection whole =
                new ResourceCollection(
                        collection.type(), unselected, collection.shape(), collection.extent());
        return list(new ListRequest(whole, null, 1, null), first);
    }

    /**
     * Returns whether a server that is not older than the mirror is the mirrored one. The mirror
     * must have the object that it shows, byte by byte, unless that has changed since: another
     * server may well have later revisions.
     */
    private boolean isMirrored(List<KubeObject> first, ResourceCollection collection) {
        machine.retryState.confirmed();
        boolean fits = first.stream().allMatch(one -> fits(collection, one));
        if (fits && machine.writer.isRestored()) {
            machine.writer.confirmRestored();
            machine.resyncRequest.answered();
            machine.reporter.lag().synced(machine.reporter.systemTime());
        }
        return fits;
    }

    private boolean fits(ResourceCollection collection, KubeObject object) {
        Mirror mirror = machine.writer.mirror();
        return object.revision().isAfter(mirror.revision())
                || !collection.selection().matches(object)
                || mirror.snapshot()
                        .flatMap(state -> state.get(object.key()))
                        .filter(known -> known.isSameState(object) && known.hasSameJson(object))
                        .isPresent();
    }

    ReflectorState step(ReflectorState.Watching state) {
        return switch (state.stream().next()) {
            case WatchFrame.ObjectEvent event -> event(state, event);
            case WatchFrame.Bookmark(var revision, var _) -> bookmark(state, revision);
            case WatchFrame.Foreign foreign -> {
                machine.reporter.skipped(foreign.reason());
                yield state;
            }
            case WatchFrame.Failed(var status) -> failed(state, status);
            case WatchFrame.Untrackable(var reason) -> abandoned(state, reason);
            case WatchFrame.Broken(var reason, var _) -> ended(state, reason);
            case WatchFrame.Ended _ -> ended(state, "the watch ended without an event");
        };
    }

    private ReflectorState event(ReflectorState.Watching state, WatchFrame.ObjectEvent event) {
        machine.counts.count(
                switch (event) {
                    case WatchFrame.Added _ -> Counter.EVENTS_ADDED;
                    case WatchFrame.Modified _ -> Counter.EVENTS_MODIFIED;
                    case WatchFrame.Deleted _ -> Counter.EVENTS_DELETED;
                });
        machine.reporter.showing();
        KubeObject object = event.object();
        Applied applied =
                event instanceof WatchFrame.Deleted
                        ? machine.writer.delete(object.key(), object.revision())
                        : machine.writer.upsert(object);
        if (applied == Applied.CHANGED) {
            Selection selection = state.collection().selection();
            boolean whole = selection.labels().isEverything() && selection.fields().isEverything();
            machine.reporter.lag().shown(event, whole, machine.reporter.systemTime());
        }
        return applied(state, applied);
    }

    private ReflectorState bookmark(ReflectorState.Watching state, Revision revision) {
        machine.counts.count(Counter.EVENTS_BOOKMARK);
        if (revision.isBefore(machine.writer.mirror().revision())) {
            return applied(state, Applied.DUPLICATE);
        }
        machine.reporter.showing();
        machine.writer.bookmark(revision);
        return applied(state, Applied.CHANGED);
    }

    private ReflectorState applied(ReflectorState.Watching state, Applied applied) {
        switch (applied) {
            case CHANGED, UNKNOWN -> machine.retryState.progress();
            case DUPLICATE -> {}
            case CONTRADICTION -> {
                return abandoned(
                        state,
                        "an object was replaced by an object of the same name without a deletion"
                                + " event");
            }
        }
        machine.reporter.contacted();
        return state.fruitful()
                ? state
                : new ReflectorState.Watching(
                        state.collection(), state.stream(), state.opened(), true);
    }

    /**
     * Continues at the revision after a problem of the server that does not affect it
     * (list-watch.md#up-37 and #up-38), and synchronizes otherwise.
     */
    private ReflectorState failed(ReflectorState.Watching state, Status status) {
        state.close();
        machine.schema.suspect();
        Failure.Refused failure = new Failure.Refused(status);
        ResourceCollection collection = state.collection();
        if (FailureHandler.isExpired(failure)) {
            return machine.failures.watchExpired(failure, collection);
        }
        int code = status.code();
        boolean mayContinue = code == 429 || (code == 500 && !machine.retryState.tooMany());
        return machine.failures.watchFailed(
                failure,
                mayContinue
                        ? new ReflectorState.Opening(collection)
                        : machine.failures.relist(collection));
    }

    /**
     * Ends a stream whose content makes no sense, so only a list can recover (list-watch.md#up-39).
     */
    private ReflectorState abandoned(ReflectorState.Watching state, String reason) {
        state.close();
        return machine.failures.watchFailed(reason, machine.failures.relist(state.collection()));
    }

    /**
     * Continues where the stream ended, at once unless it was very short and sent nothing, or
     * synchronizes if a resync request ended it.
     */
    private ReflectorState ended(ReflectorState.Watching state, String reason) {
        state.close();
        if (machine.resyncRequest.isRequested()) {
            machine.counts.count(Counter.WATCHES_FAILED);
            return new ReflectorState.Synchronizing(state.collection(), SyncStart.MOST_RECENT);
        }
        if (machine.resyncRequest.isProgressRequested()) {
            machine.counts.count(Counter.WATCHES_ENDED);
            return nextWatch(state.collection());
        }
        if (machine.reporter.now().plus(EARLY).isBefore(machine.watchEnd)) {
            machine.schema.suspect();
        }
        if (!state.fruitful() && machine.retryState.isVeryShort(state.opened())) {
            return machine.failures.watchFailed(
                    reason, machine.failures.reopen(state.collection()));
        }
        machine.counts.count(Counter.WATCHES_ENDED);
        machine.retryState.watched(state.opened());
        return nextWatch(state.collection());
    }

    /**
     * Returns the state that opens the next watch where one ended, at once unless that is often.
     */
    private ReflectorState nextWatch(ResourceCollection collection) {
        ReflectorState next = new ReflectorState.Opening(collection);
        Duration wait = machine.watches.untilNext();
        return wait.isZero() ? next : new ReflectorState.BackingOff(wait, next);
    }
}
