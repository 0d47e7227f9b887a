package io.kubemirror.reflector;

import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.ListPage;
import io.kubemirror.upstream.ListRequest;
import io.kubemirror.upstream.Result;

import java.util.function.Consumer;

/**
 * Handles {@link ReflectorState.Listing} and {@link ReflectorState.Paging}: fetches the present
 * state page by page.
 */
final class Lister {

    /**
     * The maximum number of pages in a row without a new object. A server that filters may send
     * some.
     */
    private static final int MOST_BARREN_PAGES = 100;

    private final ReflectorContext context;
    private final ResyncCompletion resyncCompletion;
    private final ParallelLister parallelLister;

    /** The number of pages in a row without a new object. */
    private int barren;

    /** The number of objects after the last page. */
    private int counted;

    Lister(ReflectorContext context, ResyncCompletion resyncCompletion, WatchFollower watcher) {
        this.context = context;
        this.resyncCompletion = resyncCompletion;
        this.parallelLister = new ParallelLister(context, resyncCompletion, watcher, this);
    }

    /**
     * Returns the handler of {@link ReflectorState.Overlapping} and {@link
     * ReflectorState.CatchingUp}.
     */
    ParallelLister parallelLister() {
        return parallelLister;
    }

    ReflectorState begin(ReflectorState.Listing state) {
        context.reporter().enter(Phase.SYNCHRONISING);
        context.requestPacer().list();
        context.reporter().fetching();
        barren = 0;
        counted = -1;
        return new ReflectorState.Paging(
                state,
                firstRequest(state),
                resyncCompletion.resync(state.from()),
                null,
                context.now());
    }

    private ListRequest firstRequest(ReflectorState.Listing state) {
        Revision cached =
                ReflectorState.requested(state.from(), context.writer().mirror().revision());
        // A limit would turn "not older than" into "exactly", which is soon expired
        // (list-watch.md#up-4).
        int limit = state.paged() && cached == null ? context.settings().pageSize() : 0;
        return new ListRequest(state.collection(), cached, limit, null);
    }

    ReflectorState step(ReflectorState.Paging state) {
        return switch (context.api().list(state.request(), into(state.resync()))) {
            case Result.Success(var page) -> arrived(state, page);
            case Result.Failed(var failure) when state.revision() != null && isExpired(failure) ->
                    pageExpired(state.listing());
            case Result.Failed(var failure) -> failed(state.listing(), failure);
        };
    }

    /** Returns the consumer of the objects of a page. */
    Consumer<KubeObject> into(Resync resync) {
        return object -> {
            resync.add(object);
            context.reporter().fetched(object);
        };
    }

    private ReflectorState arrived(ReflectorState.Paging state, ListPage page) {
        account(state, page);
        if (isOfAnotherState(state, page)) {
            return inconsistent(state);
        }
        if (isEndless(state, page)) {
            return endless(state);
        }
        String token = page.continueToken();
        if (token == null) {
            return completed(state, page.revision());
        }
        ReflectorState.Paging next = state.next(token, page.revision());
        boolean first = state.revision() == null;
        return first && context.capabilities().overlaps()
                ? parallelLister.begin(next, page.revision())
                : next;
    }

    /** Accounts for a page and for the server's estimate of what remains. */
    void account(ReflectorState.Paging state, ListPage page) {
        context.accepted(Verb.LIST);
        context.reporter().expecting(page.remaining());
        barren = state.resync().size() > counted ? 0 : barren + 1;
        counted = state.resync().size();
        if (page.continueToken() != null && page.remaining() != null) {
            state.resync().expect(page.remaining());
        }
    }

    /**
     * Returns whether a list does not end: it repeats a page, or has too many pages without a new
     * object.
     */
    boolean isEndless(ReflectorState.Paging state, ListPage page) {
        String token = page.continueToken();
        return token != null
                && (token.equals(state.request().continueToken()) || barren > MOST_BARREN_PAGES);
    }

    /** Abandons a list that does not end. */
    ReflectorState endless(ReflectorState.Paging state) {
        return failed(
                state.listing(),
                new Failure.Malformed(
                        "the list does not end: the same continue token again, or pages without"
                                + " another object"));
    }

    private ReflectorState completed(ReflectorState.Paging state, Revision revision) {
        ReflectorState.Listing listing = state.listing();
        if (!resyncCompletion.isPlausible(revision, listing.from())) {
            return implausible(listing, revision);
        }
        resyncCompletion.complete(state.resync(), revision, TimedSpan.LIST, state.began());
        context.capabilities().listed();
        return context.capabilities().mayWatch()
                ? new ReflectorState.Opening(listing.collection())
                : context.poll(listing.collection());
    }

    /** Returns whether a page has another revision than those before it (list-watch.md#pp-3). */
    static boolean isOfAnotherState(ReflectorState.Paging state, ListPage page) {
        return state.revision() != null && !state.revision().equals(page.revision());
    }

    ReflectorState inconsistent(ReflectorState.Paging state) {
        return failed(
                state.listing(),
                new Failure.Malformed("the pages of one list have different revisions"));
    }

    /**
     * A list older than the mirror is accepted only if a second one confirms it
     * (list-watch.md#go-52).
     */
    ReflectorState implausible(ReflectorState.Listing state, Revision revision) {
        return context.backOff(
                "the server's revision went back from "
                        + context.writer().mirror().revision()
                        + " to "
                        + revision
                        + "; asking once more before it is believed",
                new ReflectorState.Listing(state.collection(), new SyncStart.Confirming(), true));
    }

    /**
     * The token in the answer is not used, because the result would mix two states
     * (list-watch.md#up-7).
     */
    ReflectorState pageExpired(ReflectorState.Listing state) {
        context.counts().count(Counter.LISTS_EXPIRED);
        context.capabilities().listExpired();
        return new ReflectorState.Listing(state.collection(), state.from(), false);
    }

    ReflectorState failed(ReflectorState.Listing state, Failure failure) {
        if (isExpired(failure)) {
            return expired(state, failure);
        }
        context.counts().count(Counter.LISTS_FAILED);
        context.requestPacer().listFailed();
        if (failure instanceof Failure.Refused refused && refused.status().code() == 404) {
            return context.backOff(failure, needed(state), new ReflectorState.Resolving());
        }
        return context.backOff(failure, needed(state), retry(state));
    }

    private static Permission needed(ReflectorState.Listing state) {
        return state.collection().permission(Verb.LIST);
    }

    /**
     * Lists at once without a revision (list-watch.md#up-20); if the request had none already,
     * backs off.
     */
    private ReflectorState expired(ReflectorState.Listing state, Failure failure) {
        context.counts().count(Counter.LISTS_EXPIRED);
        if (state.from() instanceof SyncStart.Cached) {
            return new ReflectorState.Listing(state.collection(), new SyncStart.MostRecent(), true);
        }
        return context.backOff(failure, needed(state), retry(state));
    }

    ReflectorState retry(ReflectorState.Listing state) {
        return new ReflectorState.Synchronizing(
                state.collection(), resyncCompletion.retry(state.from()));
    }

    static boolean isExpired(Failure failure) {
        return failure instanceof Failure.Refused refused && isExpired(refused.status());
    }

    static boolean isExpired(Status status) {
        return status.isExpired() || status.isTooLargeRevision();
    }
}
