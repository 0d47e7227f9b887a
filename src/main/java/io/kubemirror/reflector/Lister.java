package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.ListRequest;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.State.From;

/** {@link State.Listing} and {@link State.Paging}: fetches the present state page by page. */
final class Lister {

    private final Equipment equipment;
    private final Synchroniser synchroniser;

    Lister(Equipment equipment, Synchroniser synchroniser) {
        this.equipment = equipment;
        this.synchroniser = synchroniser;
    }

    State begin(State.Listing state) {
        equipment.journal().enter(Phase.SYNCHRONISING);
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
        return switch (equipment.api().list(state.request(), state.resync()::add)) {
            case ListOutcome.Page page -> arrived(state, page);
            case Failure failure when state.revision() != null && isExpired(failure) ->
                    pageExpired(state.listing());
            case Failure failure -> failed(state.listing(), failure);
        };
    }

    private State arrived(State.Paging state, ListOutcome.Page page) {
        equipment.journal().contacted();
        if (state.revision() != null && !state.revision().equals(page.revision())) {
            return failed(
                    state.listing(),
                    new Failure.Malformed("the pages of one list have different revisions"));
        }
        String token = page.continueToken();
        return token == null
                ? completed(state, page.revision())
                : new State.Paging(
                        state.listing(),
                        state.request().next(token),
                        state.resync(),
                        page.revision(),
                        state.began());
    }

    private State completed(State.Paging state, Revision revision) {
        State.Listing listing = state.listing();
        if (!synchroniser.isCredible(revision, listing.from())) {
            return equipment.rest(
                    "the server's revision went back from "
                            + equipment.writer().mirror().revision()
                            + " to "
                            + revision
                            + "; asking once more before it is believed",
                    new State.Listing(listing.collection(), new From.Confirming(), true));
        }
        synchroniser.complete(state.resync(), revision);
        equipment.journal().synchronised("list", state.began());
        return new State.Opening(listing.collection());
    }

    /** UP-7: the token in the answer is not used, since it would mix two states. */
    private State pageExpired(State.Listing state) {
        equipment.counts().count(Counter.LISTS_EXPIRED);
        return new State.Listing(state.collection(), state.from(), false);
    }

    private State failed(State.Listing state, Failure failure) {
        if (isExpired(failure)) {
            return expired(state, failure);
        }
        equipment.counts().count(Counter.LISTS_FAILED);
        if (failure instanceof Failure.Refused refused && refused.status().code() == 404) {
            return equipment.rest(failure, new State.Resolving());
        }
        return equipment.rest(failure, again(state));
    }

    /** UP-20: at once without a revision; if that was it already, later. */
    private State expired(State.Listing state, Failure failure) {
        equipment.counts().count(Counter.LISTS_EXPIRED);
        if (state.from() instanceof From.Cached) {
            return new State.Listing(state.collection(), new From.MostRecent(), true);
        }
        return equipment.rest(failure, again(state));
    }

    private State again(State.Listing state) {
        return new State.Synchronising(state.collection(), synchroniser.again(state.from()));
    }

    private static boolean isExpired(Failure failure) {
        return failure instanceof Failure.Refused refused && isExpired(refused.status());
    }

    static boolean isExpired(Status status) {
        return status.isExpired() || status.isTooLargeRevision();
    }
}
