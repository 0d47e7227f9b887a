package io.kubemirror.reflector;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.WatchFrame;
import io.kubemirror.upstream.WatchStream;

import java.time.Duration;

/**
 * Handles {@link ReflectorState.Synchronizing} and {@link ReflectorState.Streaming}: fetches the
 * present state as the initial events of a watch, or leaves that to a list.
 */
final class WatchLister {

    private final ReflectorContext context;
    private final ResyncCompletion resyncCompletion;
    private final WatchFollower watcher;

    WatchLister(
            ReflectorContext context, ResyncCompletion resyncCompletion, WatchFollower watcher) {
        this.context = context;
        this.resyncCompletion = resyncCompletion;
        this.watcher = watcher;
    }

    ReflectorState begin(ReflectorState.Synchronizing state) {
        Duration wait = context.requestPacer().untilList();
        if (wait.isPositive()) {
            return new ReflectorState.BackingOff(wait, state);
        }
        return context.capabilities().mayStream()
                ? open(state)
                : new ReflectorState.Listing(state.collection(), state.from(), true);
    }

    private ReflectorState open(ReflectorState.Synchronizing state) {
        context.reporter().enter(Phase.SYNCHRONISING);
        context.requestPacer().list();
        Revision revision =
                ReflectorState.requested(state.from(), context.writer().mirror().revision());
        return switch (context.api().watch(watcher.request(state.collection(), revision, true))) {
            case Result.Success(var stream) -> streaming(state, stream);
            case Result.Failed(Failure.Refused refused) -> refused(state, refused);
            // A list would fail on the same connection. Only a failure that repeats falls back to a
            // list.
            case Result.Failed(Failure.Unreachable unreachable)
                    when unreachable.refused() || !context.retryState().repeated() ->
                    failed(state, unreachable, state);
            case Result.Failed(var failure) -> fallBack(state, failure);
        };
    }

    private ReflectorState streaming(ReflectorState.Synchronizing state, WatchStream stream) {
        context.counts().count(Counter.WATCHES_OPENED);
        context.accepted(Verb.WATCH);
        context.reporter().fetching();
        return new ReflectorState.Streaming(
                state.collection(),
                state.from(),
                stream,
                resyncCompletion.resync(state.from()),
                context.now());
    }

    private ReflectorState refused(ReflectorState.Synchronizing state, Failure.Refused refused) {
        Status status = refused.status();
        if (Lister.isExpired(status) && state.from() instanceof SyncStart.Cached) {
            return open(
                    new ReflectorState.Synchronizing(
                            state.collection(), new SyncStart.MostRecent()));
        }
        return switch (status.code()) {
            case 429 -> failed(state, refused, state);
            case 405 -> {
                context.capabilities().watchRefused();
                yield fallBack(state, refused);
            }
            case 422 -> {
                context.capabilities().streamRefused();
                yield fallBack(state, refused);
            }
            default -> fallBack(state, refused);
        };
    }

    private ReflectorState failed(
            ReflectorState.Synchronizing state, Failure failure, ReflectorState next) {
        context.counts().count(Counter.WATCHES_FAILED);
        context.requestPacer().listFailed();
        return context.backOff(failure, state.collection().permission(Verb.WATCH), next);
    }

    /**
     * Falls back to a list at once, unless the configured strategy is a watch-list
     * (list-watch.md#up-25).
     */
    private ReflectorState fallBack(ReflectorState.Synchronizing state, Failure failure) {
        return switch (context.settings().strategy()) {
            case WATCH_LIST -> failed(state, failure, retry(state, failure));
            case AUTO, LIST_WATCH, LIST_WATCH_PARALLEL -> {
                context.counts().count(Counter.WATCHES_FAILED);
                yield new ReflectorState.Listing(
                        state.collection(), state.from(), /* paged= */ true);
            }
        };
    }

    private ReflectorState retry(ReflectorState.Synchronizing state, Failure failure) {
        boolean gone = failure instanceof Failure.Refused refused && refused.status().code() == 404;
        return gone
                ? new ReflectorState.Resolving()
                : new ReflectorState.Synchronizing(
                        state.collection(), resyncCompletion.retry(state.from()));
    }

    ReflectorState step(ReflectorState.Streaming state) {
        return switch (state.stream().next()) {
            case WatchFrame.Added added -> arrived(state, added.object());
            case WatchFrame.Modified modified -> arrived(state, modified.object());
            case WatchFrame.Deleted deleted -> {
                state.resync().remove(deleted.object().key());
                yield arrived(state);
            }
            case WatchFrame.Bookmark bookmark ->
                    bookmark.initialEventsEnd()
                            ? completed(state, bookmark.revision())
                            : arrived(state);
            case WatchFrame.Foreign foreign -> {
                watcher.skip(foreign);
                yield state;
            }
            case WatchFrame.Failed failed -> failed(state, failed.status());
            case WatchFrame.Untrackable untrackable ->
                    abandoned(state, untrackable.reason(), /* nonsense= */ true);
            case WatchFrame.Broken broken -> broken(state, broken);
            case WatchFrame.Ended _ ->
                    abandoned(
                            state,
                            "the watch ended before its initial events did",
                            /* nonsense= */ false);
        };
    }

    private ReflectorState completed(ReflectorState.Streaming state, Revision revision) {
        if (!resyncCompletion.isPlausible(revision, state.from())) {
            state.stream().close();
            return context.backOff(
                    "the server's revision went back to "
                            + revision
                            + "; asking once more before it is believed",
                    new ReflectorState.Synchronizing(
                            state.collection(), new SyncStart.Confirming()));
        }
        resyncCompletion.complete(state.resync(), revision, TimedSpan.WATCH_LIST, state.opened());
        context.capabilities().streamed();
        return watcher.watching(state.collection(), state.stream(), context.now());
    }

    private ReflectorState failed(ReflectorState.Streaming state, Status status) {
        state.stream().close();
        return refused(
                new ReflectorState.Synchronizing(state.collection(), state.from()),
                new Failure.Refused(status));
    }

    private ReflectorState broken(ReflectorState.Streaming state, WatchFrame.Broken broken) {
        return switch (broken.kind()) {
            case CUT -> abandoned(state, broken.reason(), /* nonsense= */ false);
            case SILENT -> silent(state);
            case MALFORMED -> abandoned(state, broken.reason(), /* nonsense= */ true);
        };
    }

    /**
     * Handles silence. Servers that do not support watch-lists are silent, and so are proxies that
     * buffer an unfinished response (list-watch.md#up-28). The next attempt would be silent too, so
     * this counts as a refusal.
     */
    private ReflectorState silent(ReflectorState.Streaming state) {
        if (context.settings().strategy() != Strategy.AUTO) {
            return abandoned(
                    state,
                    "the stream of the present state fell silent before its end",
                    /* nonsense= */ false);
        }
        state.stream().close();
        context.counts().count(Counter.WATCHES_FAILED);
        context.capabilities().streamRefused();
        context.reporter().silent();
        return new ReflectorState.Listing(state.collection(), state.from(), /* paged= */ true);
    }

    /**
     * Drops what has arrived and tries the same again (list-watch.md#up-26), or lists if the stream
     * made no sense or broke before (list-watch.md#up-25).
     */
    private ReflectorState abandoned(
            ReflectorState.Streaming state, String reason, boolean nonsense) {
        state.stream().close();
        context.counts().count(Counter.WATCHES_FAILED);
        boolean hopeless = nonsense || context.retryState().repeated();
        boolean mayList = context.settings().strategy() == Strategy.AUTO;
        SyncStart from = resyncCompletion.retry(state.from());
        return context.backOff(
                reason,
                hopeless && mayList
                        ? new ReflectorState.Listing(state.collection(), from, /* paged= */ true)
                        : new ReflectorState.Synchronizing(state.collection(), from));
    }

    private ReflectorState arrived(ReflectorState.Streaming state, KubeObject object) {
        state.resync().add(object);
        context.reporter().fetched(object);
        return arrived(state);
    }

    private ReflectorState arrived(ReflectorState.Streaming state) {
        context.reporter().contacted();
        return state;
    }
}
