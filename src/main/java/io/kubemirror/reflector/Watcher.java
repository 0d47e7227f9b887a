package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ResourceCollection;
import io.kubemirror.kube.WatchFrame;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.kube.WatchStream;
import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.State.From;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/** {@link State.Opening} and {@link State.Watching}: applies changes as they happen. */
final class Watcher {

    /** Every watch asks for 300 to 600 s, drawn anew, so that many do not end together (UP-9). */
    private static final int SHORTEST_SECONDS = 300;

    private static final int LONGEST_SECONDS = 600;

    /**
     * A watch that has been silent for so much longer than the server would keep it open is dead
     * (UP-11).
     */
    private static final Duration SILENCE_MARGIN = Duration.ofSeconds(5);

    /** A watch that ends sooner and without a frame counts as a failure (UP-41). */
    private static final Duration VERY_SHORT = Duration.ofSeconds(1);

    private final Equipment equipment;

    Watcher(Equipment equipment) {
        this.equipment = equipment;
    }

    WatchRequest request(
            ResourceCollection collection, @Nullable Revision revision, boolean initialEvents) {
        int seconds = equipment.surroundings().random().nextInt(SHORTEST_SECONDS, LONGEST_SECONDS);
        Duration timeout = Duration.ofSeconds(seconds);
        return new WatchRequest(
                collection, revision, initialEvents, timeout, timeout.plus(SILENCE_MARGIN));
    }

    State open(State.Opening state) {
        Revision revision = equipment.writer().mirror().revision();
        Instant asked = equipment.now();
        return switch (equipment.api().watch(request(state.collection(), revision, false))) {
            case WatchOutcome.Opened opened -> {
                equipment.counts().count(Counter.WATCHES_OPENED);
                yield watching(state.collection(), opened.stream());
            }
            case Failure.Refused refused -> refused(state, refused);
            // The server has seen nothing of it, so the revision is as good as before (UP-30).
            case Failure.Unreachable unreachable when unreachable.refused() ->
                    failed(unreachable, new State.Probing(state.collection()));
            // Like a watch without an event: only one that ended at once needs a list (UP-32).
            case Failure.Unreachable unreachable when !isVeryShort(asked) ->
                    failed(unreachable, new State.Probing(state.collection()));
            case Failure failure -> failed(failure, relist(state.collection()));
        };
    }

    /**
     * The stream of an accepted watch, or of a watch-list whose initial events are complete
     * (UP-29).
     */
    State watching(ResourceCollection collection, WatchStream stream) {
        equipment.journal().watching();
        return new State.Watching(collection, stream, equipment.now(), false);
    }

    private State refused(State.Opening state, Failure.Refused refused) {
        Status status = refused.status();
        if (Lister.isExpired(status)) {
            equipment.counts().count(Counter.WATCHES_EXPIRED);
            return equipment.restExpired(status, relist(state.collection()));
        }
        return failed(refused, status.code() == 429 ? state : relist(state.collection()));
    }

    private State failed(Failure failure, State next) {
        equipment.counts().count(Counter.WATCHES_FAILED);
        return equipment.rest(failure, next);
    }

    private State relist(ResourceCollection collection) {
        return new State.Synchronising(
                collection,
                equipment.setbacks().tooMany() ? new From.MostRecent() : new From.Cached());
    }

    State step(State.Watching state) {
        WatchFrame frame = state.stream().next();
        return switch (frame) {
            case WatchFrame.Added added -> changed(state, Counter.EVENTS_ADDED, added.object());
            case WatchFrame.Modified modified ->
                    changed(state, Counter.EVENTS_MODIFIED, modified.object());
            case WatchFrame.Deleted deleted -> deleted(state, deleted.object());
            case WatchFrame.Bookmark bookmark -> bookmark(state, bookmark.revision());
            case WatchFrame.Foreign foreign -> {
                passOver(foreign);
                yield state;
            }
            case WatchFrame.Failed failed -> failed(state, failed.status());
            case WatchFrame.Untrackable untrackable -> abandoned(state, untrackable.reason());
            case WatchFrame.Broken broken when broken.malformed() ->
                    abandoned(state, broken.reason());
            case WatchFrame.Broken broken ->
                    ended(state, broken.reason(), new State.Probing(state.collection()));
            case WatchFrame.Ended _ ->
                    ended(
                            state,
                            "the watch ended at once, without an event",
                            new State.Opening(state.collection()));
        };
    }

    void passOver(WatchFrame.Foreign foreign) {
        equipment.counts().count(Counter.EVENTS_FOREIGN);
        equipment.journal().skipped(foreign.reason());
    }

    private State changed(State.Watching state, Counter counter, KubeObject object) {
        equipment.counts().count(counter);
        return applied(state, equipment.writer().upsert(object));
    }

    private State deleted(State.Watching state, KubeObject object) {
        equipment.counts().count(Counter.EVENTS_DELETED);
        return applied(state, equipment.writer().delete(object.key(), object.revision()));
    }

    private State bookmark(State.Watching state, Revision revision) {
        equipment.counts().count(Counter.EVENTS_BOOKMARK);
        equipment.writer().bookmark(revision);
        return fruitful(state);
    }

    private State applied(State.Watching state, Applied applied) {
        return switch (applied) {
            case CHANGED, UNKNOWN -> fruitful(state);
            case DUPLICATE -> {
                equipment.counts().count(Counter.EVENTS_DUPLICATE);
                yield arrived(state);
            }
            case CONTRADICTION ->
                    abandoned(
                            state,
                            "an object was replaced by another of its name, without a deletion");
        };
    }

    private State fruitful(State.Watching state) {
        equipment.setbacks().progress();
        return arrived(state);
    }

    private State arrived(State.Watching state) {
        equipment.journal().contacted();
        return state.fruitful()
                ? state
                : new State.Watching(state.collection(), state.stream(), state.opened(), true);
    }

    private State failed(State.Watching state, Status status) {
        state.stream().close();
        if (Lister.isExpired(status)) {
            equipment.counts().count(Counter.WATCHES_EXPIRED);
            return equipment.restExpired(status, relist(state.collection()));
        }
        equipment.counts().count(Counter.WATCHES_FAILED);
        State next =
                status.code() == 429
                        ? new State.Opening(state.collection())
                        : relist(state.collection());
        return equipment.rest(status, next);
    }

    /** UP-39: what the stream says makes no sense, so only a list can tell what is true. */
    private State abandoned(State.Watching state, String reason) {
        state.stream().close();
        equipment.counts().count(Counter.WATCHES_FAILED);
        return equipment.rest(reason, relist(state.collection()));
    }

    private boolean isVeryShort(Instant since) {
        return equipment.now().isBefore(since.plus(VERY_SHORT));
    }

    /**
     * UP-40 and UP-41: goes on where the stream ended, at once unless it brought nothing and was
     * very short.
     */
    private State ended(State.Watching state, String reason, State next) {
        state.stream().close();
        if (!state.fruitful() && isVeryShort(state.opened())) {
            equipment.counts().count(Counter.WATCHES_FAILED);
            return equipment.rest(reason, relist(state.collection()));
        }
        equipment.counts().count(Counter.WATCHES_ENDED);
        return next;
    }
}
