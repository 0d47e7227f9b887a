package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.mirror.Resync;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.Span;
import io.kubemirror.reflector.State.From;

import java.util.function.Consumer;

/** {@link State.Listing} and {@link State.Paging}: fetches the present state page by page. */
final class Lister {

    /** A server that filters may send pages without an object, but not that many in a row. */
    private static final int MOST_BARREN_PAGES = 100;

    private final Equipment equipment;
    private final Synchroniser synchroniser;
    private final Overlap overlap;

    /** How many pages in a row have brought no object that was not there yet. */
    private int barren;

    /** How many objects there were after the last page. */
    private int counted;

    Lister(Equipment equipment, Synchroniser synchroniser, Watcher watcher) {
        this.equipment = equipment;
        this.synchroniser = synchroniser;
        this.overlap = new Overlap(equipment, synchroniser, watcher, this);
    }

    /** How {@link State.Overlapping} and {@link State.CatchingUp} go on. */
    Overlap overlap() {
        return overlap;
    }

    State begin(State.Listing state) {
        equipment.journal().enter(Phase.SYNCHRONISING);
        equipment.pace().list();
        equipment.journal().fetching();
        barren = 0;
        counted = -1;
        return new State.Paging(
                state,
                firstRequest(state),
                synchroniser.resync(state.from()),
                null,
                equipment.now());
    }

    private ListRequest firstRequest(State.Listing state) {
        Revision cached = State.requested(state.from(), equipment.writer().mirror().revision());
        // A limit would turn "not older than" into "exactly", which is soon expired (UP-4).
        int limit = state.paged() && cached == null ? equipment.settings().pageSize() : 0;
        return new ListRequest(state.collection(), cached, limit, null);
    }

    State step(State.Paging state) {
        return switch (equipment.api().list(state.request(), into(state.resync()))) {
            case ListOutcome.Page page -> arrived(state, page);
            case Failure failure when state.revision() != null && isExpired(failure) ->
                    pageExpired(state.listing());
            case Failure failure -> failed(state.listing(), failure);
        };
    }

    /** Where the objects of a page go. */
    Consumer<KubeObject> into(Resync resync) {
        return object -> {
            resync.add(object);
            equipment.journal().fetched(object);
        };
    }

    private State arrived(State.Paging state, ListOutcome.Page page) {
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
        State.Paging next = state.next(token, page.revision());
        boolean first = state.revision() == null;
        return first && equipment.lessons().overlaps()
                ? overlap.begin(next, page.revision())
                : next;
    }

    /** A page has come, and maybe how much more there is. */
    void account(State.Paging state, ListOutcome.Page page) {
        equipment.accepted(Verb.LIST);
        equipment.journal().expecting(page.remaining());
        barren = state.resync().size() > counted ? 0 : barren + 1;
        counted = state.resync().size();
        if (page.continueToken() != null && page.remaining() != null) {
            state.resync().expect(page.remaining());
        }
    }

    /** Whether a list goes on for ever: with the page that it had, or with pages of nothing new. */
    boolean isEndless(State.Paging state, ListOutcome.Page page) {
        String token = page.continueToken();
        return token != null
                && (token.equals(state.request().continueToken()) || barren > MOST_BARREN_PAGES);
    }

    /** A list that goes on for ever is worth nothing. */
    State endless(State.Paging state) {
        return failed(
                state.listing(),
                new Failure.Malformed(
                        "the list does not end: the same continue token again, or pages without"
                                + " another object"));
    }

    private State completed(State.Paging state, Revision revision) {
        State.Listing listing = state.listing();
        if (!synchroniser.isCredible(revision, listing.from())) {
            return incredible(listing, revision);
        }
        synchroniser.complete(state.resync(), revision, Span.LIST, state.began());
        equipment.lessons().listed();
        return equipment.lessons().mayWatch()
                ? new State.Opening(listing.collection())
                : equipment.poll(listing.collection());
    }

    /** Whether a page does not belong to those before it (PP-3). */
    static boolean isOfAnotherState(State.Paging state, ListOutcome.Page page) {
        return state.revision() != null && !state.revision().equals(page.revision());
    }

    State inconsistent(State.Paging state) {
        return failed(
                state.listing(),
                new Failure.Malformed("the pages of one list have different revisions"));
    }

    /** GO-52. */
    State incredible(State.Listing state, Revision revision) {
        return equipment.rest(
                "the server's revision went back from "
                        + equipment.writer().mirror().revision()
                        + " to "
                        + revision
                        + "; asking once more before it is believed",
                new State.Listing(state.collection(), new From.Confirming(), true));
    }

    /** UP-7: the token in the answer is not used, since it would mix two states. */
    State pageExpired(State.Listing state) {
        equipment.counts().count(Counter.LISTS_EXPIRED);
        equipment.lessons().listExpired();
        return new State.Listing(state.collection(), state.from(), false);
    }

    State failed(State.Listing state, Failure failure) {
        if (isExpired(failure)) {
            return expired(state, failure);
        }
        equipment.counts().count(Counter.LISTS_FAILED);
        equipment.pace().listFailed();
        if (failure instanceof Failure.Refused refused && refused.status().code() == 404) {
            return equipment.rest(failure, needed(state), new State.Resolving());
        }
        return equipment.rest(failure, needed(state), again(state));
    }

    private static Permission needed(State.Listing state) {
        return state.collection().permission(Verb.LIST);
    }

    /** UP-20: at once without a revision; if that was it already, later. */
    private State expired(State.Listing state, Failure failure) {
        equipment.counts().count(Counter.LISTS_EXPIRED);
        if (state.from() instanceof From.Cached) {
            return new State.Listing(state.collection(), new From.MostRecent(), true);
        }
        return equipment.rest(failure, needed(state), again(state));
    }

    State again(State.Listing state) {
        return new State.Synchronising(state.collection(), synchroniser.again(state.from()));
    }

    static boolean isExpired(Failure failure) {
        return failure instanceof Failure.Refused refused && isExpired(refused.status());
    }

    static boolean isExpired(Status status) {
        return status.isExpired() || status.isTooLargeRevision();
    }
}
