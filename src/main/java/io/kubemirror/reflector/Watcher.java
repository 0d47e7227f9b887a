package io.kubemirror.reflector;

import io.kubemirror.kube.Failure;
import io.kubemirror.kube.ResourceCollection;
import io.kubemirror.kube.WatchFrame;
import io.kubemirror.kube.WatchOutcome;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.kube.WatchStream;
import io.kubemirror.mirror.MirrorWriter.Applied;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.Span;
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

    /** A watch that ends sooner and without a frame counts as a failure. */
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
                collection,
                revision,
                initialEvents,
                timeout,
                timeout.plus(SILENCE_MARGIN),
                equipment.settings().patience().initialSilence());
    }

    State open(State.Opening state) {
        Revision revision = equipment.writer().mirror().revision();
        return switch (connect(state.collection(), revision)) {
            case WatchOutcome.Opened opened ->
                    opened(watching(state.collection(), opened.stream(), equipment.now()));
            case Failure.Refused refused -> refused(state, refused);
            case Failure.Unreachable unreachable -> unreached(state, unreachable);
            case Failure.Malformed malformed ->
                    failed(malformed, state.collection(), relist(state.collection()));
        };
    }

    private State unreached(State.Opening state, Failure.Unreachable failure) {
        if (failure.refused()) {
            equipment.setbacks().connectionRefused();
            return failed(failure, state.collection(), state);
        }
        return failed(failure, state.collection(), reopen(state.collection()));
    }

    /**
     * Watches on after a connection that broke or a watch that ended at once: neither says anything
     * about the revision. Where that happens over and over, something between here and the server
     * lets no watch pass, or the server does not say what is wrong with the revision, and only a
     * list helps.
     */
    private State reopen(ResourceCollection collection) {
        return equipment.setbacks().tooMany() ? relist(collection) : new State.Opening(collection);
    }

    private State opened(State.Watching watching) {
        return equipment.setbacks().isDoubtful() ? new State.Probing(watching) : watching;
    }

    /** Asks for what comes after a revision. */
    WatchOutcome connect(ResourceCollection collection, Revision revision) {
        equipment.pace().watch();
        WatchOutcome outcome = equipment.api().watch(request(collection, revision, false));
        if (outcome instanceof WatchOutcome.Opened) {
            equipment.counts().count(Counter.WATCHES_OPENED);
            equipment.accepted(Verb.WATCH);
        }
        return outcome;
    }

    /**
     * The stream of an accepted watch, of a watch-list whose initial events are complete (UP-29),
     * or of a watch that was opened beside a list.
     */
    State.Watching watching(ResourceCollection collection, WatchStream stream, Instant opened) {
        equipment.journal().watching();
        equipment.summons().attend(stream);
        return new State.Watching(collection, stream, opened, false);
    }

    private State refused(State.Opening state, Failure.Refused refused) {
        Status status = refused.status();
        if (Lister.isExpired(status)) {
            return expired(status, state.collection());
        }
        if (status.code() == 405) {
            equipment.lessons().watchRefused();
            return equipment.poll(state.collection());
        }
        ResourceCollection collection = state.collection();
        return failed(refused, collection, status.code() == 429 ? state : relist(collection));
    }

    private State expired(Status status, ResourceCollection collection) {
        equipment.counts().count(Counter.WATCHES_EXPIRED);
        equipment.lessons().watchExpired();
        return equipment.restExpired(status, relist(collection));
    }

    private State failed(Failure failure, ResourceCollection collection, State next) {
        equipment.counts().count(Counter.WATCHES_FAILED);
        return equipment.rest(failure, collection.permission(Verb.WATCH), next);
    }

    private State relist(ResourceCollection collection) {
        return new State.Synchronising(
                collection,
                equipment.setbacks().tooMany() ? new From.MostRecent() : new From.Cached());
    }

    State step(State.Watching state) {
        WatchFrame frame = state.stream().next();
        return switch (frame) {
            case WatchFrame.Added added -> added(state, added);
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
            case WatchFrame.Broken broken -> broken(state, broken);
            case WatchFrame.Ended _ -> ended(state, "the watch ended at once, without an event");
        };
    }

    private State broken(State.Watching state, WatchFrame.Broken broken) {
        return switch (broken.kind()) {
            case CUT, SILENT -> ended(state, broken.reason());
            case MALFORMED -> abandoned(state, broken.reason());
        };
    }

    void passOver(WatchFrame.Foreign foreign) {
        equipment.counts().count(Counter.EVENTS_FOREIGN);
        equipment.journal().skipped(foreign.reason());
    }

    private State added(State.Watching state, WatchFrame.Added added) {
        equipment.counts().count(Counter.EVENTS_ADDED);
        Applied applied = equipment.writer().upsert(added.object());
        Selection selection = state.collection().selection();
        boolean whole = selection.labels().isEverything() && selection.fields().isEverything();
        if (applied == Applied.CHANGED && whole && added.created() != null) {
            Duration lag = Duration.between(added.created(), equipment.now());
            equipment.counts().time(Span.SYNC_LAG, lag.isNegative() ? Duration.ZERO : lag);
        }
        return applied(state, applied);
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
        if (revision.isBefore(equipment.writer().mirror().revision())) {
            return applied(state, Applied.DUPLICATE);
        }
        equipment.writer().bookmark(revision);
        return fruitful(state);
    }

    private State applied(State.Watching state, Applied applied) {
        return switch (applied) {
            case CHANGED, UNKNOWN -> fruitful(state);
            case HIDDEN -> {
                equipment.counts().count(Counter.EVENTS_HIDDEN);
                yield fruitful(state);
            }
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
        equipment.lessons().followed();
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
            return expired(status, state.collection());
        }
        ResourceCollection collection = state.collection();
        State next = mayGoOn(status) ? new State.Opening(collection) : relist(collection);
        return failed(new Failure.Refused(status), collection, next);
    }

    /** UP-37 and UP-38: the server has trouble, but nothing is wrong with the revision. */
    private boolean mayGoOn(Status status) {
        return switch (status.code()) {
            case 429 -> true;
            case 500 -> equipment.setbacks().toleratesInternalError(equipment.now());
            default -> false;
        };
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
     * Goes on where the stream ended, at once unless it brought nothing and was very short; or it
     * was ended by a summons.
     */
    private State ended(State.Watching state, String reason) {
        state.stream().close();
        if (equipment.summons().isIssued()) {
            equipment.counts().count(Counter.WATCHES_FAILED);
            return new State.Synchronising(state.collection(), new From.MostRecent());
        }
        if (!state.fruitful() && isVeryShort(state.opened())) {
            equipment.counts().count(Counter.WATCHES_FAILED);
            return equipment.rest(reason, reopen(state.collection()));
        }
        equipment.counts().count(Counter.WATCHES_ENDED);
        equipment.setbacks().watched(Duration.between(state.opened(), equipment.now()));
        State next = new State.Opening(state.collection());
        Duration wait = equipment.pace().untilWatch();
        return wait.isZero() ? next : new State.Resting(wait, next);
    }
}
