package io.kubemirror.reflector;

import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ResourceCollection;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.WatchConnection;
import io.kubemirror.upstream.WatchFrame;
import io.kubemirror.upstream.WatchRequest;
import io.kubemirror.upstream.WatchStream;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/**
 * Handles {@link ReflectorState.Opening} and {@link ReflectorState.Watching}: applies changes as
 * they happen.
 */
final class WatchFollower {

    /**
     * Every watch requests a random timeout of 300 to 600 s, so that watches do not end together
     * (list-watch.md#up-9).
     */
    private static final int SHORTEST_SECONDS = 300;

    private static final int LONGEST_SECONDS = 600;

    /**
     * A watch is dead if it is silent for this much longer than its timeout (list-watch.md#up-11).
     */
    private static final Duration SILENCE_MARGIN = Duration.ofSeconds(5);

    /** A watch that ends sooner and without a frame counts as a failure. */
    private static final Duration VERY_SHORT = Duration.ofSeconds(1);

    private final ReflectorContext context;

    WatchFollower(ReflectorContext context) {
        this.context = context;
    }

    WatchRequest request(
            ResourceCollection collection, @Nullable Revision revision, boolean initialEvents) {
        int seconds = context.environment().random().nextInt(SHORTEST_SECONDS, LONGEST_SECONDS);
        Duration timeout = Duration.ofSeconds(seconds);
        return new WatchRequest(
                collection,
                revision,
                initialEvents,
                timeout,
                timeout.plus(SILENCE_MARGIN),
                context.settings().timeouts().initialSilence());
    }

    ReflectorState open(ReflectorState.Opening state) {
        Revision revision = context.writer().mirror().revision();
        return switch (connect(state.collection(), revision)) {
            case Result.Success(var stream) ->
                    opened(watching(state.collection(), stream, context.now()));
            case Result.Failed(Failure.Refused refused) -> refused(state, refused);
            case Result.Failed(Failure.Unreachable unreachable) -> unreached(state, unreachable);
            case Result.Failed(Failure.Malformed malformed) ->
                    failed(malformed, state.collection(), relist(state.collection()));
        };
    }

    private ReflectorState unreached(ReflectorState.Opening state, Failure.Unreachable failure) {
        if (failure.refused()) {
            context.retryState().connectionRefused();
            return failed(failure, state.collection(), state);
        }
        return failed(failure, state.collection(), reopen(state.collection()));
    }

    /**
     * Reopens the watch after a connection that broke or a watch that ended at once: neither says
     * anything about the revision. If that happens repeatedly, an intermediary may block watches,
     * or the server may not report what is wrong with the revision, and only a list helps.
     */
    private ReflectorState reopen(ResourceCollection collection) {
        return context.retryState().tooMany()
                ? relist(collection)
                : new ReflectorState.Opening(collection);
    }

    private ReflectorState opened(ReflectorState.Watching watching) {
        return context.retryState().isDoubtful() ? new ReflectorState.Probing(watching) : watching;
    }

    /** Opens a watch after a revision. */
    Result<WatchConnection> connect(ResourceCollection collection, Revision revision) {
        context.requestPacer().watch();
        Result<WatchConnection> outcome = context.api().watch(request(collection, revision, false));
        if (outcome instanceof Result.Success) {
            context.counts().count(Counter.WATCHES_OPENED);
            context.accepted(Verb.WATCH);
        }
        return outcome;
    }

    /**
     * Returns the state for the stream of an accepted watch, of a watch-list whose initial events
     * are complete (list-watch.md#up-29), or of a watch that was opened beside a list.
     */
    ReflectorState.Watching watching(
            ResourceCollection collection, WatchStream stream, Instant opened) {
        context.reporter().watching();
        context.resyncRequest().waitOn(stream);
        return new ReflectorState.Watching(collection, stream, opened, false);
    }

    private ReflectorState refused(ReflectorState.Opening state, Failure.Refused refused) {
        Status status = refused.status();
        if (Lister.isExpired(status)) {
            return expired(status, state.collection());
        }
        if (status.code() == 405) {
            context.capabilities().watchRefused();
            return context.poll(state.collection());
        }
        ResourceCollection collection = state.collection();
        return failed(refused, collection, status.code() == 429 ? state : relist(collection));
    }

    private ReflectorState expired(Status status, ResourceCollection collection) {
        context.counts().count(Counter.WATCHES_EXPIRED);
        context.capabilities().watchExpired();
        return context.backOffExpired(status, relist(collection));
    }

    private ReflectorState failed(
            Failure failure, ResourceCollection collection, ReflectorState next) {
        context.counts().count(Counter.WATCHES_FAILED);
        return context.backOff(failure, collection.permission(Verb.WATCH), next);
    }

    private ReflectorState relist(ResourceCollection collection) {
        return new ReflectorState.Synchronizing(
                collection,
                context.retryState().tooMany()
                        ? new SyncStart.MostRecent()
                        : new SyncStart.Cached());
    }

    ReflectorState step(ReflectorState.Watching state) {
        WatchFrame frame = state.stream().next();
        return switch (frame) {
            case WatchFrame.Added added -> added(state, added);
            case WatchFrame.Modified modified ->
                    changed(state, Counter.EVENTS_MODIFIED, modified.object());
            case WatchFrame.Deleted deleted -> deleted(state, deleted.object());
            case WatchFrame.Bookmark bookmark -> bookmark(state, bookmark.revision());
            case WatchFrame.Foreign foreign -> {
                skip(foreign);
                yield state;
            }
            case WatchFrame.Failed failed -> failed(state, failed.status());
            case WatchFrame.Untrackable untrackable -> abandoned(state, untrackable.reason());
            case WatchFrame.Broken broken -> broken(state, broken);
            case WatchFrame.Ended _ -> ended(state, "the watch ended at once, without an event");
        };
    }

    private ReflectorState broken(ReflectorState.Watching state, WatchFrame.Broken broken) {
        return switch (broken.kind()) {
            case CUT, SILENT -> ended(state, broken.reason());
            case MALFORMED -> abandoned(state, broken.reason());
        };
    }

    void skip(WatchFrame.Foreign foreign) {
        context.counts().count(Counter.EVENTS_FOREIGN);
        context.reporter().skipped(foreign.reason());
    }

    private ReflectorState added(ReflectorState.Watching state, WatchFrame.Added added) {
        context.counts().count(Counter.EVENTS_ADDED);
        Applied applied = context.writer().upsert(added.object());
        Selection selection = state.collection().selection();
        boolean whole = selection.labels().isEverything() && selection.fields().isEverything();
        if (applied == Applied.CHANGED && whole && added.created() != null) {
            Duration lag = Duration.between(added.created(), context.now());
            context.counts().time(TimedSpan.SYNC_LAG, lag.isNegative() ? Duration.ZERO : lag);
        }
        return applied(state, applied);
    }

    private ReflectorState changed(
            ReflectorState.Watching state, Counter counter, KubeObject object) {
        context.counts().count(counter);
        return applied(state, context.writer().upsert(object));
    }

    private ReflectorState deleted(ReflectorState.Watching state, KubeObject object) {
        context.counts().count(Counter.EVENTS_DELETED);
        return applied(state, context.writer().delete(object.key(), object.revision()));
    }

    private ReflectorState bookmark(ReflectorState.Watching state, Revision revision) {
        context.counts().count(Counter.EVENTS_BOOKMARK);
        if (revision.isBefore(context.writer().mirror().revision())) {
            return applied(state, Applied.DUPLICATE);
        }
        context.writer().bookmark(revision);
        return hasProgressed(state);
    }

    private ReflectorState applied(ReflectorState.Watching state, Applied applied) {
        return switch (applied) {
            case CHANGED, UNKNOWN -> hasProgressed(state);
            case HIDDEN -> {
                context.counts().count(Counter.EVENTS_HIDDEN);
                yield hasProgressed(state);
            }
            case DUPLICATE -> {
                context.counts().count(Counter.EVENTS_DUPLICATE);
                yield arrived(state);
            }
            case CONTRADICTION ->
                    abandoned(
                            state,
                            "an object was replaced by another of its name, without a deletion");
        };
    }

    private ReflectorState hasProgressed(ReflectorState.Watching state) {
        context.retryState().progress();
        context.capabilities().followed();
        return arrived(state);
    }

    private ReflectorState arrived(ReflectorState.Watching state) {
        context.reporter().contacted();
        return state.fruitful()
                ? state
                : new ReflectorState.Watching(
                        state.collection(), state.stream(), state.opened(), true);
    }

    private ReflectorState failed(ReflectorState.Watching state, Status status) {
        state.stream().close();
        if (Lister.isExpired(status)) {
            return expired(status, state.collection());
        }
        ResourceCollection collection = state.collection();
        ReflectorState next =
                mayContinue(status) ? new ReflectorState.Opening(collection) : relist(collection);
        return failed(new Failure.Refused(status), collection, next);
    }

    /**
     * Returns whether the server has a problem that does not affect the revision
     * (list-watch.md#up-37 and #up-38).
     */
    private boolean mayContinue(Status status) {
        return switch (status.code()) {
            case 429 -> true;
            case 500 -> context.retryState().toleratesInternalError(context.now());
            default -> false;
        };
    }

    /**
     * Ends a stream whose content makes no sense, so only a list can recover (list-watch.md#up-39).
     */
    private ReflectorState abandoned(ReflectorState.Watching state, String reason) {
        state.stream().close();
        context.counts().count(Counter.WATCHES_FAILED);
        return context.backOff(reason, relist(state.collection()));
    }

    private boolean isVeryShort(Instant since) {
        return context.now().isBefore(since.plus(VERY_SHORT));
    }

    /**
     * Continues where the stream ended, at once unless it was very short and sent nothing, or
     * synchronizes if a resync request ended it.
     */
    private ReflectorState ended(ReflectorState.Watching state, String reason) {
        state.stream().close();
        if (context.resyncRequest().isRequested()) {
            context.counts().count(Counter.WATCHES_FAILED);
            return new ReflectorState.Synchronizing(state.collection(), new SyncStart.MostRecent());
        }
        if (!state.fruitful() && isVeryShort(state.opened())) {
            context.counts().count(Counter.WATCHES_FAILED);
            return context.backOff(reason, reopen(state.collection()));
        }
        context.counts().count(Counter.WATCHES_ENDED);
        context.retryState().watched(Duration.between(state.opened(), context.now()));
        ReflectorState next = new ReflectorState.Opening(state.collection());
        Duration wait = context.requestPacer().untilWatch();
        return wait.isZero() ? next : new ReflectorState.BackingOff(wait, next);
    }
}
