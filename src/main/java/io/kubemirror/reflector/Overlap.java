package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ListOutcome;
import io.kubemirror.kube.WatchFrame;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.Span;

/**
 * {@link State.Overlapping} and {@link State.CatchingUp}: fetches the present state page by page
 * with the watch already running, so that nothing is lost however long the pages take (spec section
 * 16).
 *
 * <p>A list that expires in the middle is not begun anew but continued at a newer state of the
 * collection (PP-8). What is then true of which object at which revision need not be remembered:
 * each object tells by its own revision whether a change is newer than what its page knew.
 */
final class Overlap {

    private final Equipment equipment;
    private final Synchroniser synchroniser;
    private final Watcher watcher;
    private final Lister lister;

    Overlap(Equipment equipment, Synchroniser synchroniser, Watcher watcher, Lister lister) {
        this.equipment = equipment;
        this.synchroniser = synchroniser;
        this.watcher = watcher;
        this.lister = lister;
    }

    /** Opens the watch after the first page; if that fails, the list goes on alone (PP-6). */
    State begin(State.Paging second, Revision first) {
        return switch (watcher.connect(second.listing().collection(), first)) {
            case WatchOutcome.Opened opened ->
                    new State.Overlapping(second, new Tail(first, opened.stream()), first);
            case Failure _ -> second;
        };
    }

    State step(State.Overlapping state) {
        if (state.tail().failed()) {
            return alone(state, "the watch beside the list failed");
        }
        return state.tail().mayGoOn() ? prolonged(state) : page(state);
    }

    /** PP-7. */
    private State prolonged(State.Overlapping state) {
        Tail tail = state.tail();
        return switch (watcher.connect(state.paging().listing().collection(), tail.reached())) {
            case WatchOutcome.Opened opened -> {
                tail.append(opened.stream());
                yield page(state);
            }
            case Failure failure -> alone(state, failure.summary());
        };
    }

    /** PP-6; pages of several states are worth nothing without their watch. */
    private State alone(State.Overlapping state, String reason) {
        state.tail().close();
        equipment.counts().count(Counter.WATCHES_FAILED);
        return state.mixed()
                ? equipment.rest(reason, lister.again(state.paging().listing()))
                : state.paging();
    }

    private State page(State.Overlapping state) {
        State.Paging paging = state.paging();
        return switch (equipment.api().list(paging.request(), lister.into(paging.resync()))) {
            case ListOutcome.Page page -> arrived(state, page);
            case Failure failure when Lister.isExpired(failure) -> expired(state, failure);
            case Failure failure -> {
                state.tail().close();
                yield lister.failed(paging.listing(), failure);
            }
        };
    }

    private State arrived(State.Overlapping state, ListOutcome.Page page) {
        State.Paging paging = state.paging();
        lister.account(paging, page);
        Revision revision = page.revision();
        if (lister.isEndless(paging, page)) {
            state.tail().close();
            return lister.endless(paging);
        }
        if (Lister.isOfAnotherState(paging, page) || revision.isBefore(state.newest())) {
            state.tail().close();
            return lister.inconsistent(paging);
        }
        String token = page.continueToken();
        return token == null
                ? completed(new State.Overlapping(paging, state.tail(), revision))
                : new State.Overlapping(paging.next(token, revision), state.tail(), revision);
    }

    /**
     * PP-8: goes on with the token in the answer. One that expires at once gets the list nowhere,
     * and without a token there is no way on (UP-7).
     */
    private State expired(State.Overlapping state, Failure failure) {
        State.Paging paging = state.paging();
        String token =
                failure instanceof Failure.Refused refused
                        ? refused.status().continueToken()
                        : null;
        if (token == null || paging.revision() == null) {
            state.tail().close();
            return lister.pageExpired(paging.listing());
        }
        equipment.journal().contacted();
        equipment.counts().count(Counter.PAGES_EXPIRED);
        return new State.Overlapping(paging.inconsistently(token), state.tail(), state.newest());
    }

    private State completed(State.Overlapping state) {
        State.Paging paging = state.paging();
        Tail tail = state.tail();
        if (state.mixed()) {
            return new State.CatchingUp(
                    paging, tail, tail.start(), state.newest(), /* fruitful= */ true);
        }
        if (!synchroniser.isCredible(state.newest(), paging.listing().from())) {
            tail.close();
            return lister.incredible(paging.listing(), state.newest());
        }
        synchronised(paging, state.newest());
        if (tail.failed()) {
            tail.close();
            return new State.Opening(paging.listing().collection());
        }
        return watcher.watching(paging.listing().collection(), tail, paging.began());
    }

    private void synchronised(State.Paging paging, Revision revision) {
        synchroniser.complete(paging.resync(), revision, Span.LIST_WITH_WATCH, paging.began());
    }

    State step(State.CatchingUp state) {
        return switch (state.stream().next()) {
            case WatchFrame.Added(var object, var _) -> changed(state, object);
            case WatchFrame.Modified(var object) -> changed(state, object);
            case WatchFrame.Deleted(var object) -> deleted(state, object);
            case WatchFrame.Bookmark(var revision, var _) -> reached(state.at(revision));
            case WatchFrame.Foreign foreign -> {
                watcher.passOver(foreign);
                yield state;
            }
            case WatchFrame.Failed(var status) ->
                    abandoned(state, new Failure.Refused(status).summary());
            case WatchFrame.Untrackable(var reason) -> abandoned(state, reason);
            case WatchFrame.Broken(var reason, var kind) ->
                    switch (kind) {
                        case CUT, SILENT -> prolonged(state);
                        case MALFORMED -> abandoned(state, reason);
                    };
            case WatchFrame.Ended _ -> prolonged(state);
        };
    }

    private State changed(State.CatchingUp state, KubeObject object) {
        if (!state.paging().resync().contains(object.key(), object.revision())) {
            state.paging().resync().add(object);
        }
        return reached(state.at(object.revision()));
    }

    private State deleted(State.CatchingUp state, KubeObject object) {
        if (!state.paging().resync().contains(object.key(), object.revision())) {
            state.paging().resync().remove(object.key());
        }
        return reached(state.at(object.revision()));
    }

    private State reached(State.CatchingUp state) {
        equipment.journal().contacted();
        if (state.reached().isBefore(state.target())) {
            return state;
        }
        State.Listing listing = state.paging().listing();
        if (!synchroniser.isCredible(state.reached(), listing.from())) {
            state.stream().close();
            return lister.incredible(listing, state.reached());
        }
        synchronised(state.paging(), state.reached());
        return watcher.watching(listing.collection(), state.stream(), state.paging().began());
    }

    /** The watch ended before it had come far enough; the next one begins where it stood. */
    private State prolonged(State.CatchingUp state) {
        if (!state.fruitful()) {
            return abandoned(state, "the watch ended before it had come as far as the list");
        }
        state.stream().close();
        State.Listing listing = state.paging().listing();
        return switch (watcher.connect(listing.collection(), state.reached())) {
            case WatchOutcome.Opened opened -> state.by(opened.stream());
            case Failure failure ->
                    equipment.rest(
                            failure,
                            listing.collection().permission(Verb.WATCH),
                            lister.again(listing));
        };
    }

    private State abandoned(State.CatchingUp state, String reason) {
        state.stream().close();
        equipment.counts().count(Counter.WATCHES_FAILED);
        return equipment.rest(reason, lister.again(state.paging().listing()));
    }
}
