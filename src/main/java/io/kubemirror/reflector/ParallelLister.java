package io.kubemirror.reflector;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ListPage;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.WatchFrame;

/**
 * Handles {@link ReflectorState.Overlapping} and {@link ReflectorState.CatchingUp}: fetches the
 * present state page by page while the watch is already running, so that no change is lost however
 * long the pages take (list-watch.md#pp-2).
 *
 * <p>A list that expires in the middle is not started over but continued at a newer state of the
 * collection (list-watch.md#pp-8). No record of which object has which revision is needed: each
 * object shows by its own revision whether a change is newer than its page.
 */
final class ParallelLister {

    private final ReflectorContext context;
    private final ResyncCompletion resyncCompletion;
    private final WatchFollower watcher;
    private final Lister lister;

    ParallelLister(
            ReflectorContext context,
            ResyncCompletion resyncCompletion,
            WatchFollower watcher,
            Lister lister) {
        this.context = context;
        this.resyncCompletion = resyncCompletion;
        this.watcher = watcher;
        this.lister = lister;
    }

    /**
     * Opens the watch after the first page; if that fails, the list continues without it
     * (list-watch.md#pp-6).
     */
    ReflectorState begin(ReflectorState.Paging second, Revision first) {
        return switch (watcher.connect(second.listing().collection(), first)) {
            case Result.Success(var stream) ->
                    new ReflectorState.Overlapping(second, new BufferedWatch(first, stream), first);
            case Result.Failed(var _) -> second;
        };
    }

    ReflectorState step(ReflectorState.Overlapping state) {
        if (state.buffer().failed()) {
            return alone(state, "the watch beside the list failed");
        }
        return state.buffer().mayContinue() ? extended(state) : page(state);
    }

    /** Reopens the watch where it ended (list-watch.md#pp-7). */
    private ReflectorState extended(ReflectorState.Overlapping state) {
        BufferedWatch buffer = state.buffer();
        return switch (watcher.connect(state.paging().listing().collection(), buffer.reached())) {
            case Result.Success(var stream) -> {
                buffer.append(stream);
                yield page(state);
            }
            case Result.Failed(var failure) -> alone(state, failure.summary());
        };
    }

    /**
     * Drops the watch and continues the list. Pages of several states are useless without their
     * watch (list-watch.md#pp-6).
     */
    private ReflectorState alone(ReflectorState.Overlapping state, String reason) {
        state.buffer().close();
        context.counts().count(Counter.WATCHES_FAILED);
        return state.mixed()
                ? context.backOff(reason, lister.retry(state.paging().listing()))
                : state.paging();
    }

    private ReflectorState page(ReflectorState.Overlapping state) {
        ReflectorState.Paging paging = state.paging();
        return switch (context.api().list(paging.request(), lister.into(paging.resync()))) {
            case Result.Success(var page) -> arrived(state, page);
            case Result.Failed(var failure) when Lister.isExpired(failure) ->
                    expired(state, failure);
            case Result.Failed(var failure) -> {
                state.buffer().close();
                yield lister.failed(paging.listing(), failure);
            }
        };
    }

    private ReflectorState arrived(ReflectorState.Overlapping state, ListPage page) {
        ReflectorState.Paging paging = state.paging();
        lister.account(paging, page);
        Revision revision = page.revision();
        if (lister.isEndless(paging, page)) {
            state.buffer().close();
            return lister.endless(paging);
        }
        if (Lister.isOfAnotherState(paging, page) || revision.isBefore(state.newest())) {
            state.buffer().close();
            return lister.inconsistent(paging);
        }
        String token = page.continueToken();
        return token == null
                ? completed(new ReflectorState.Overlapping(paging, state.buffer(), revision))
                : new ReflectorState.Overlapping(
                        paging.next(token, revision), state.buffer(), revision);
    }

    /**
     * Continues with the token in the answer (list-watch.md#pp-8). A token that expires at once
     * makes no progress, and without a token the list cannot continue (list-watch.md#up-7).
     */
    private ReflectorState expired(ReflectorState.Overlapping state, Failure failure) {
        ReflectorState.Paging paging = state.paging();
        String token =
                failure instanceof Failure.Refused refused
                        ? refused.status().continueToken()
                        : null;
        if (token == null || paging.revision() == null) {
            state.buffer().close();
            return lister.pageExpired(paging.listing());
        }
        context.reporter().contacted();
        context.counts().count(Counter.PAGES_EXPIRED);
        return new ReflectorState.Overlapping(
                paging.inconsistently(token), state.buffer(), state.newest());
    }

    private ReflectorState completed(ReflectorState.Overlapping state) {
        ReflectorState.Paging paging = state.paging();
        BufferedWatch buffer = state.buffer();
        if (state.mixed()) {
            return new ReflectorState.CatchingUp(
                    paging, buffer, buffer.start(), state.newest(), /* fruitful= */ true);
        }
        if (!resyncCompletion.isPlausible(state.newest(), paging.listing().from())) {
            buffer.close();
            return lister.implausible(paging.listing(), state.newest());
        }
        synced(paging, state.newest());
        if (buffer.failed()) {
            buffer.close();
            return new ReflectorState.Opening(paging.listing().collection());
        }
        return watcher.watching(paging.listing().collection(), buffer, paging.began());
    }

    private void synced(ReflectorState.Paging paging, Revision revision) {
        resyncCompletion.complete(
                paging.resync(), revision, TimedSpan.LIST_WITH_WATCH, paging.began());
    }

    ReflectorState step(ReflectorState.CatchingUp state) {
        return switch (state.stream().next()) {
            case WatchFrame.Added(var object, var _) -> changed(state, object);
            case WatchFrame.Modified(var object) -> changed(state, object);
            case WatchFrame.Deleted(var object) -> deleted(state, object);
            case WatchFrame.Bookmark(var revision, var _) -> reached(state.at(revision));
            case WatchFrame.Foreign foreign -> {
                watcher.skip(foreign);
                yield state;
            }
            case WatchFrame.Failed(var status) ->
                    abandoned(state, new Failure.Refused(status).summary());
            case WatchFrame.Untrackable(var reason) -> abandoned(state, reason);
            case WatchFrame.Broken(var reason, var kind) ->
                    switch (kind) {
                        case CUT, SILENT -> extended(state);
                        case MALFORMED -> abandoned(state, reason);
                    };
            case WatchFrame.Ended _ -> extended(state);
        };
    }

    private ReflectorState changed(ReflectorState.CatchingUp state, KubeObject object) {
        if (!state.paging().resync().contains(object.key(), object.revision())) {
            state.paging().resync().add(object);
        }
        return reached(state.at(object.revision()));
    }

    private ReflectorState deleted(ReflectorState.CatchingUp state, KubeObject object) {
        if (!state.paging().resync().contains(object.key(), object.revision())) {
            state.paging().resync().remove(object.key());
        }
        return reached(state.at(object.revision()));
    }

    private ReflectorState reached(ReflectorState.CatchingUp state) {
        context.reporter().contacted();
        if (state.reached().isBefore(state.target())) {
            return state;
        }
        ReflectorState.Listing listing = state.paging().listing();
        if (!resyncCompletion.isPlausible(state.reached(), listing.from())) {
            state.stream().close();
            return lister.implausible(listing, state.reached());
        }
        synced(state.paging(), state.reached());
        return watcher.watching(listing.collection(), state.stream(), state.paging().began());
    }

    /** The watch ended before it had reached the target; another one begins where it ended. */
    private ReflectorState extended(ReflectorState.CatchingUp state) {
        if (!state.fruitful()) {
            return abandoned(state, "the watch ended before it had come as far as the list");
        }
        state.stream().close();
        ReflectorState.Listing listing = state.paging().listing();
        return switch (watcher.connect(listing.collection(), state.reached())) {
            case Result.Success(var stream) -> state.by(stream);
            case Result.Failed(var failure) ->
                    context.backOff(
                            failure,
                            listing.collection().permission(Verb.WATCH),
                            lister.retry(listing));
        };
    }

    private ReflectorState abandoned(ReflectorState.CatchingUp state, String reason) {
        state.stream().close();
        context.counts().count(Counter.WATCHES_FAILED);
        return context.backOff(reason, lister.retry(state.paging().listing()));
    }
}
