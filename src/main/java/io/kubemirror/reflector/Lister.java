package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * Handles {@link ReflectorState.Paging}: fetches the present state page by page, for large
 * collections while a watch is already running, so that the revision of the list does not expire
 * before it is watched (list-watch.md#pp-1). The events of that watch wait until all pages have
 * arrived, and are then read like those of any other watch (list-watch.md#pp-4).
 *
 * <p>Rejected: to continue a list after a token has expired, at the newer state of the token in the
 * error, until the watch has passed that state. A list in one piece takes less time.
 */
final class Lister extends StateHandler {

    /**
     * The maximum number of pages in a row without a new object. A server that filters may send
     * some.
     */
    private static final int MAX_EMPTY_PAGES = 100;

    Lister(StateMachine machine) {
        super(machine);
    }

    /**
     * A limit would turn "not older than" into "exactly", which is soon expired
     * (list-watch.md#up-4).
     */
    ReflectorState begin(ReflectorState.Synchronizing sync) {
        Revision revision = request(sync);
        boolean paged = sync.method() == FetchMethod.PAGES && revision == null;
        int limit = paged ? machine.settings.pageSize() : 0;
        ListRequest first = new ListRequest(sync.collection(), revision, limit, null);
        return new ReflectorState.Paging(sync, first, collect(), null, 0, null);
    }

    ReflectorState step(ReflectorState.Paging state) {
        boolean later = state.request().continueToken() != null;
        int objects = state.resync().size();
        return switch (list(state.request(), state.resync()::add)) {
            case Result.Success(var page) -> arrived(state, page, objects);
            case Result.Failed(var failure) when later && FailureHandler.isExpired(failure) ->
                    expired(state);
            case Result.Failed(Failure.Refused refused)
                    when later
                            && state.resync().size() == objects
                            && machine.retryState.obeys(refused) ->
                    machine.failures.backOff(refused, state);
            case Result.Failed(var failure) -> failed(state, failure);
        };
    }

    private ReflectorState arrived(ReflectorState.Paging state, ListMeta page, int objects) {
        String token = page.continueToken();
        boolean first = state.request().continueToken() == null;
        // A page before this one may have been refused.
        machine.reporter.enter(Phase.SYNCHRONIZING);
        boolean isEmpty = !first && state.resync().size() == objects;
        int emptyPages = isEmpty ? state.emptyPages() + 1 : 0;
        String mistake = mistake(state, page, emptyPages);
        if (mistake != null) {
            return failed(state, new Failure.Malformed(mistake));
        }
        if (token == null) {
            return completed(state, page.revision());
        }
        ReflectorState.Paging next = state.next(token, page.revision(), emptyPages);
        return first && machine.capabilities.overlaps() ? besideWatch(next, page.revision()) : next;
    }

    /** Returns why a page cannot follow those before it, null if it can. */
    private static @Nullable String mistake(
            ReflectorState.Paging before, ListMeta page, int emptyPages) {
        String token = page.continueToken();
        boolean isRepeated = token != null && token.equals(before.request().continueToken());
        if (isRepeated || (token != null && emptyPages > MAX_EMPTY_PAGES)) {
            return "the list does not end: the server repeats a continue token or returns pages"
                    + " without new objects";
        }
        Revision expected = before.revision();
        return expected != null && !expected.equals(page.revision())
                ? "the pages of one list have different revisions"
                : null;
    }

    /**
     * Opens the watch after the first page; if that fails, the list continues without it
     * (list-watch.md#pp-6).
     */
    private ReflectorState besideWatch(ReflectorState.Paging second, Revision first) {
        machine.watches.begin();
        return switch (watch(
                second.sync().collection(), first, /* initialEvents= */ false, /* ahead= */ true)) {
            case Result.Success(var stream) -> second.beside(stream);
            case Result.Failed(var _) -> second;
        };
    }

    private ReflectorState completed(ReflectorState.Paging state, Revision revision) {
        WatchStream watch = state.stream();
        TimedSpan how = watch == null ? TimedSpan.LIST : TimedSpan.LIST_WATCH_PARALLEL;
        ResourceCollection collection = state.sync().collection();
        if (!complete(state.resync(), revision, state.sync().from(), how)) {
            return implausible(state, state.sync(), revision);
        }
        return watch == null
                ? listed(collection)
                : watching(collection, watch, machine.reporter.began());
    }

    private ReflectorState listed(ResourceCollection collection) {
        return machine.capabilities.mayWatch()
                ? new ReflectorState.Opening(collection)
                : machine.failures.poll(collection);
    }

    /** Lists in one piece. The token in the answer would mix two states (list-watch.md#up-7). */
    private ReflectorState expired(ReflectorState.Paging state) {
        state.close();
        machine.counts.count(Counter.LISTS_EXPIRED);
        machine.capabilities.expired();
        return new ReflectorState.Synchronizing(
                state.sync().collection(), state.sync().from(), FetchMethod.WHOLE);
    }

    /**
     * Lists at once without a revision if the requested one is expired (list-watch.md#up-20),
     * otherwise backs off.
     */
    private ReflectorState failed(ReflectorState.Paging state, Failure failure) {
        state.close();
        ReflectorState.Synchronizing sync = state.sync();
        if (FailureHandler.isExpired(failure)) {
            machine.counts.count(Counter.LISTS_EXPIRED);
            return sync.from() == SyncStart.CACHED
                    ? new ReflectorState.Synchronizing(
                            sync.collection(), SyncStart.MOST_RECENT, FetchMethod.PAGES)
                    : machine.failures.backOff(failure, machine.failures.retry(sync));
        }
        machine.counts.count(Counter.LISTS_FAILED);
        return machine.failures.backOff(failure, machine.failures.retry(sync, failure));
    }
}
