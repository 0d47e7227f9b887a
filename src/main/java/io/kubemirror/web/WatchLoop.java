package io.kubemirror.web;

import io.kubemirror.mirror.Backlog;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Interest;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Reading;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One watch, step by step: asks the mirror what came after its cursor and sends it.
 *
 * <p>It runs on its client's own thread, so a client that takes nothing stops nobody but itself
 * (FA-3, TR-10), and it keeps nothing but a cursor (FA-1). Steps know nothing of HTTP; whoever
 * drives them is a loop without logic. Steps are for one thread; how far they have come can be told
 * to any.
 *
 * <p>Rejected: a shared thread that feeds many clients by asynchronous writes. It saves a few
 * kilobytes a client and brings back what the mirror got rid of: a queue for each of them.
 */
final class WatchLoop {

    /** A stream that ends sooner without an event is taken for an error by clients (WA-29). */
    private static final Duration TOO_SHORT = Duration.ofSeconds(2);

    /** How many initial events are made at a time. */
    private static final int PORTION = 256;

    private final Mirror mirror;
    private final Terms terms;
    private final Interest interest;
    private final Schedule schedule;
    private final Ending ending;
    private final Sink sink;
    private volatile Stage stage;
    private boolean silent = true;

    /** Where the client is while there may be something for it; written by the watch alone. */
    private final AtomicReference<@Nullable Cursor> behind = new AtomicReference<>();

    /**
     * What a client agreed on.
     *
     * @param start what the watch begins with
     * @param selection the objects it is about
     * @param frames the form of its events
     */
    record Terms(WatchStart start, Selection selection, Frames frames) {}

    /** Where the watch stands. */
    private sealed interface Stage {

        /**
         * Initial events are being sent.
         *
         * @param start what follows them
         * @param objects those still to be sent
         */
        record Initial(WatchStart.Initial start, Iterator<KubeObject> objects) implements Stage {}

        /**
         * Changes are being sent.
         *
         * @param cursor everything up to it has been sent
         * @param floor no bookmark is due before this revision is passed (BM-7)
         * @param replaying whether nothing has been read yet, so that what comes at once had
         *     happened before the watch began
         */
        record Following(Cursor cursor, Revision floor, boolean replaying) implements Stage {}

        /**
         * An error is to be sent.
         *
         * @param status the error
         */
        record Failing(Status status) implements Stage {}

        /**
         * Nothing more is to be sent.
         *
         * @param end why
         */
        record Finished(WatchEnd end) implements Stage {}
    }

    /**
     * A watch that begins now.
     *
     * @param ending tells it to end
     * @param sink where it sends its events
     */
    WatchLoop(Mirror mirror, Terms terms, Schedule schedule, Ending ending, Sink sink) {
        this.mirror = mirror;
        this.terms = terms;
        this.interest = Interest.of(terms.selection());
        this.schedule = schedule;
        this.ending = ending;
        this.sink = sink;
        this.stage =
                switch (terms.start()) {
                    case WatchStart.Initial start ->
                            new Stage.Initial(start, objects(start, terms.selection()));
                    case WatchStart.After start ->
                            new Stage.Following(start.cursor(), start.cursor().revision(), true);
                    case WatchStart.Failed start -> new Stage.Failing(start.status());
                };
    }

    /**
     * Sends what there is, or waits until there is something.
     *
     * @return whether there may be more
     * @throws IOException if the client is gone
     */
    boolean step() throws IOException {
        stage =
                switch (stage) {
                    case Stage.Initial initial -> sendInitial(initial);
                    case Stage.Following following -> follow(following);
                    case Stage.Failing failing -> fail(failing.status());
                    case Stage.Finished finished -> finished;
                };
        return !(stage instanceof Stage.Finished);
    }

    /** How far it has come, for any thread; empty once it is at its end. */
    Optional<Cursor> cursor() {
        return switch (stage) {
            case Stage.Initial initial -> Optional.of(initial.start().position().cursor());
            case Stage.Following following -> Optional.of(following.cursor());
            case Stage.Failing _, Stage.Finished _ -> Optional.empty();
        };
    }

    /**
     * What there is that its client has not been sent, for any thread. A watch of a selection is
     * behind only while it sends, since what it sleeps through does not concern it.
     *
     * @param nanos the time now, on the clock of the mirror's writer
     */
    Backlog backlog(long nanos) {
        Cursor cursor = behind.getAcquire();
        return cursor == null ? Backlog.NONE : mirror.backlog(cursor, nanos);
    }

    /** Whether it is at its first events, which are those of one state. */
    boolean isInitial() {
        return stage instanceof Stage.Initial;
    }

    /** Why it is at its end; until it is, as if the client left now. */
    WatchEnd end() {
        return stage instanceof Stage.Finished(WatchEnd end) ? end : WatchEnd.CLOSED;
    }

    private static Iterator<KubeObject> objects(WatchStart.Initial start, Selection selection) {
        return Page.whole(start.position().snapshot(), selection, "").objects().iterator();
    }

    /** Sends a portion of the initial events, and the bookmark after the last (FA-6, WA-24). */
    private Stage sendInitial(Stage.Initial initial) throws IOException {
        behind.setRelease(initial.start().position().cursor());
        Burst burst = new Burst(sink);
        for (int i = 0; i < PORTION && initial.objects().hasNext(); i++) {
            burst.add(terms.frames().initial(initial.objects().next()));
        }
        if (initial.objects().hasNext()) {
            send(burst);
            return unlessOver(initial);
        }
        Cursor cursor = initial.start().position().cursor();
        if (initial.start().endBookmark()) {
            burst.add(terms.frames().bookmark(cursor.revision(), true));
        }
        send(burst);
        return unlessOver(new Stage.Following(cursor, cursor.revision(), false));
    }

    private Stage follow(Stage.Following following) throws IOException {
        Cursor cursor = following.cursor();
        Duration patience = following.replaying() ? Duration.ZERO : schedule.patience();
        behind.setRelease(interest instanceof Interest.Everything ? cursor : null);
        Optional<Reading> reading =
                ending.unlessRequested(() -> mirror.read(cursor, interest, patience));
        if (reading.isEmpty()) {
            return new Stage.Finished(WatchEnd.CLOSED);
        }
        return switch (reading.get()) {
            case Reading.Progress progress -> unlessOver(sendProgress(progress, following));
            case Reading.Expired expired ->
                    new Stage.Failing(
                            StatusErrors.expiredWatch(cursor.revision(), expired.floor()));
            case Reading.Ended _ -> end(cursor);
        };
    }

    private Stage sendProgress(Reading.Progress progress, Stage.Following following)
            throws IOException {
        if (!progress.changes().isEmpty()) {
            behind.setRelease(following.cursor());
        }
        Burst burst = new Burst(sink);
        for (LoggedChange logged : progress.changes()) {
            Optional<Change> view = terms.selection().view(logged.change());
            if (view.isPresent()) {
                burst.add(terms.frames().change(logged, view.get()));
            }
        }
        Revision reached = progress.next().revision();
        Revision floor =
                following.replaying() && !progress.changes().isEmpty()
                        ? progress.changes().getLast().change().revision()
                        : following.floor();
        if (schedule.takeBookmark() && reached.isAfter(floor)) {
            burst.add(terms.frames().bookmark(reached, false));
        }
        send(burst);
        return new Stage.Following(progress.next(), floor, false);
    }

    private void send(Burst burst) throws IOException {
        if (burst.finish()) {
            silent = false;
            schedule.sent();
        } else if (schedule.isSilent()) {
            sink.send(Frames.keepAlive(), 0);
            schedule.sent();
        }
    }

    /**
     * The mirror began a new history: a clean end (RE-1), unless that comes so soon that clients
     * take it for a failure of the server (WA-29). They are told then what their next attempt would
     * tell them, since their revision is of the old history (WA-9, RE-12).
     */
    private Stage end(Cursor cursor) {
        boolean tooShort = silent && schedule.age().compareTo(TOO_SHORT) < 0;
        return tooShort
                ? new Stage.Failing(StatusErrors.expiredWatch(cursor.revision(), mirror.floor()))
                : new Stage.Finished(WatchEnd.RESET);
    }

    private Stage fail(Status status) throws IOException {
        sink.send(terms.frames().error(status), 1);
        return new Stage.Finished(WatchEnd.EXPIRED);
    }

    private Stage unlessOver(Stage next) {
        return schedule.isOver() ? new Stage.Finished(WatchEnd.TIMEOUT) : next;
    }
}
