package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.WatchFrame;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchStream;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.Span;
import io.kubemirror.reflector.State.From;

import java.time.Duration;

/**
 * {@link State.Synchronising} and {@link State.Streaming}: fetches the present state as the first
 * events of a watch, or leaves that to a list.
 */
final class Streamer {

    private final Equipment equipment;
    private final Synchroniser synchroniser;
    private final Watcher watcher;

    Streamer(Equipment equipment, Synchroniser synchroniser, Watcher watcher) {
        this.equipment = equipment;
        this.synchroniser = synchroniser;
        this.watcher = watcher;
    }

    State begin(State.Synchronising state) {
        Duration wait = equipment.pace().untilList();
        if (wait.isPositive()) {
            return new State.Resting(wait, state);
        }
        return equipment.lessons().mayStream()
                ? open(state)
                : new State.Listing(state.collection(), state.from(), true);
    }

    private State open(State.Synchronising state) {
        equipment.journal().enter(Phase.SYNCHRONISING);
        equipment.pace().list();
        Revision revision = State.requested(state.from(), equipment.writer().mirror().revision());
        return switch (equipment.api().watch(watcher.request(state.collection(), revision, true))) {
            case WatchOutcome.Opened opened -> streaming(state, opened.stream());
            case Failure.Refused refused -> refused(state, refused);
            // Whatever broke the connection would break that of a list too, unless it lasts.
            case Failure.Unreachable unreachable
                    when unreachable.refused() || !equipment.setbacks().repeated() ->
                    failed(state, unreachable, state);
            case Failure failure -> fallBack(state, failure);
        };
    }

    private State streaming(State.Synchronising state, WatchStream stream) {
        equipment.counts().count(Counter.WATCHES_OPENED);
        equipment.accepted(Verb.WATCH);
        equipment.journal().fetching();
        return new State.Streaming(
                state.collection(),
                state.from(),
                stream,
                synchroniser.resync(state.from()),
                equipment.now());
    }

    private State refused(State.Synchronising state, Failure.Refused refused) {
        Status status = refused.status();
        if (Lister.isExpired(status) && state.from() instanceof From.Cached) {
            return open(new State.Synchronising(state.collection(), new From.MostRecent()));
        }
        return switch (status.code()) {
            case 429 -> failed(state, refused, state);
            case 405 -> {
                equipment.lessons().watchRefused();
                yield fallBack(state, refused);
            }
            case 422 -> {
                equipment.lessons().streamRefused();
                yield fallBack(state, refused);
            }
            default -> fallBack(state, refused);
        };
    }

    private State failed(State.Synchronising state, Failure failure, State next) {
        equipment.counts().count(Counter.WATCHES_FAILED);
        equipment.pace().listFailed();
        return equipment.rest(failure, state.collection().permission(Verb.WATCH), next);
    }

    /** UP-25: in the same round by a list, unless a stream is what was configured. */
    private State fallBack(State.Synchronising state, Failure failure) {
        return switch (equipment.settings().strategy()) {
            case WATCH_LIST -> failed(state, failure, again(state, failure));
            case AUTO, LIST_WATCH, LIST_WATCH_PARALLEL -> {
                equipment.counts().count(Counter.WATCHES_FAILED);
                yield new State.Listing(state.collection(), state.from(), /* paged= */ true);
            }
        };
    }

    private State again(State.Synchronising state, Failure failure) {
        boolean gone = failure instanceof Failure.Refused refused && refused.status().code() == 404;
        return gone
                ? new State.Resolving()
                : new State.Synchronising(state.collection(), synchroniser.again(state.from()));
    }

    State step(State.Streaming state) {
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
                watcher.passOver(foreign);
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

    private State completed(State.Streaming state, Revision revision) {
        if (!synchroniser.isCredible(revision, state.from())) {
            state.stream().close();
            return equipment.rest(
                    "the server's revision went back to "
                            + revision
                            + "; asking once more before it is believed",
                    new State.Synchronising(state.collection(), new From.Confirming()));
        }
        synchroniser.complete(state.resync(), revision, Span.WATCH_LIST, state.opened());
        equipment.lessons().streamed();
        return watcher.watching(state.collection(), state.stream(), equipment.now());
    }

    private State failed(State.Streaming state, Status status) {
        state.stream().close();
        return refused(
                new State.Synchronising(state.collection(), state.from()),
                new Failure.Refused(status));
    }

    private State broken(State.Streaming state, WatchFrame.Broken broken) {
        return switch (broken.kind()) {
            case CUT -> abandoned(state, broken.reason(), /* nonsense= */ false);
            case SILENT -> silent(state);
            case MALFORMED -> abandoned(state, broken.reason(), /* nonsense= */ true);
        };
    }

    /**
     * UP-28: so does a server that knows nothing of watch-lists, or a proxy that holds back what
     * has not ended. It will do no better the next time, so that this counts as a refusal.
     */
    private State silent(State.Streaming state) {
        if (equipment.settings().strategy() != Strategy.AUTO) {
            return abandoned(
                    state,
                    "the stream of the present state fell silent before its end",
                    /* nonsense= */ false);
        }
        state.stream().close();
        equipment.counts().count(Counter.WATCHES_FAILED);
        equipment.lessons().streamRefused();
        equipment.journal().silent();
        return new State.Listing(state.collection(), state.from(), /* paged= */ true);
    }

    /**
     * What has arrived is dropped, and the same is tried again (UP-26); by a list, where the stream
     * made no sense or was broken off before (UP-25).
     */
    private State abandoned(State.Streaming state, String reason, boolean nonsense) {
        state.stream().close();
        equipment.counts().count(Counter.WATCHES_FAILED);
        boolean hopeless = nonsense || equipment.setbacks().repeated();
        boolean mayList = equipment.settings().strategy() == Strategy.AUTO;
        From from = synchroniser.again(state.from());
        return equipment.rest(
                reason,
                hopeless && mayList
                        ? new State.Listing(state.collection(), from, /* paged= */ true)
                        : new State.Synchronising(state.collection(), from));
    }

    private State arrived(State.Streaming state, KubeObject object) {
        state.resync().add(object);
        equipment.journal().fetched(object);
        return arrived(state);
    }

    private State arrived(State.Streaming state) {
        equipment.journal().contacted();
        return state;
    }
}
