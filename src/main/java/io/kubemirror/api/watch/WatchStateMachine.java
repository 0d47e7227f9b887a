package io.kubemirror.api.watch;

import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.mirror.Backlog;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Interest;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Reading;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One watch, step by step: asks the mirror what came after its cursor, and says what is to be sent.
 *
 * <p>It keeps nothing but a cursor (list-watch.md#fa-1) and asks for more only when what it had to
 * send is on its way, so a client that takes nothing stops nobody but itself (list-watch.md#fa-3,
 * #tr-10). Steps know nothing of HTTP and never wait; whoever drives them is a loop without logic.
 * They are for one thread at a time; how far they have come can be told to any.
 *
 * <p>Rejected: a thread for each watch, virtual as it may be, which waits for changes and for its
 * client. That reads more easily, but to park it and wake it again cost as much as the write in
 * between, and its stack was a good part of what a watch held. Also rejected: a queue for each
 * client between the mirror and its connection; see {@link Mirror}.
 */
final class WatchStateMachine implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WatchStateMachine.class);

    /**
     * A stream that ends sooner without an event is taken for an error by clients
     * (list-watch.md#wa-29).
     */
    private static final Duration TOO_SHORT = Duration.ofSeconds(2);

    private final Mirror mirror;
    private final WatchParameters terms;
    private final boolean picky;
    private final WatchSchedule schedule;
    private final StopSignal stopSignal;
    private final Subscription subscription;
    private WatchPhase stage;
    private boolean silent = true;

    /** What it said last that is to be sent. */
    private @Nullable FrameBatch sending;

    private boolean greeted;

    /** Everything up to here is on its way; null once it is at its end. For all threads. */
    private volatile @Nullable Cursor reached;

    /** Where the client is while there may be something for it; written by the watch alone. */
    private final AtomicReference<@Nullable Cursor> behind = new AtomicReference<>();

    /**
     * What a client agreed on.
     *
     * @param start what the watch begins with
     * @param selection the objects it is about
     * @param frames the form of its events
     * @param greeting what is sent before them
     */
    record WatchParameters(
            WatchStart start,
            Selection selection,
            FrameEncoder frames,
            Optional<FrameBatch> greeting) {}

    /** Where the watch stands. */
    private sealed interface WatchPhase {

        /**
         * Initial events are being sent.
         *
         * @param start what follows them
         * @param objects those still to be sent
         */
        record Initial(WatchStart.Initial start, Iterator<KubeObject> objects)
                implements WatchPhase {}

        /**
         * Changes are waited for.
         *
         * @param cursor everything up to it has been sent
         * @param floor no bookmark is due before this revision is passed (list-watch.md#bm-7)
         * @param replaying whether nothing has been read yet, so that what comes at once had
         *     happened before the watch began
         */
        record Following(Cursor cursor, Revision floor, boolean replaying) implements WatchPhase {}

        /**
         * Changes are being sent.
         *
         * @param changes those still to be sent
         * @param from everything up to this cursor has been sent
         * @param then what follows them
         */
        record Sending(Iterator<LoggedChange> changes, Cursor from, Following then)
                implements WatchPhase {}

        /**
         * What there was has been sent.
         *
         * @param then what follows, once there is more
         */
        record CaughtUp(Following then) implements WatchPhase {}

        /**
         * An error is to be sent.
         *
         * @param status the error
         * @param end why the watch ends after it
         */
        record Failing(Status status, WatchEndReason end) implements WatchPhase {}

        /**
         * Nothing more is to be sent.
         *
         * @param end why
         */
        record Finished(WatchEndReason end) implements WatchPhase {}
    }

    /**
     * A watch that begins now; to be closed.
     *
     * @param stopSignal tells it to end
     * @param bell rung when there is something to do for it after it said that it rests
     */
    WatchStateMachine(
            Mirror mirror,
            WatchParameters terms,
            WatchSchedule schedule,
            StopSignal stopSignal,
            Runnable bell) {
        Interest interest = Interest.of(terms.selection());
        this.mirror = mirror;
        this.terms = terms;
        this.picky = !(interest instanceof Interest.Everything);
        this.schedule = schedule;
        this.stopSignal = stopSignal;
        this.subscription = mirror.subscribe(interest, bell);
        this.stage =
                switch (terms.start()) {
                    case WatchStart.Initial start ->
                            new WatchPhase.Initial(start, objects(start, terms.selection()));
                    case WatchStart.After start ->
                            new WatchPhase.Following(
                                    start.cursor(), start.cursor().revision(), true);
                    case WatchStart.Failed start ->
                            new WatchPhase.Failing(start.status(), WatchEndReason.EXPIRED);
                };
        this.reached = position();
        stopSignal.onRequest(bell);
    }

    /** What it does next, now that what it said before has been done. */
    NextStep next() {
        noteSent();
        reached = position();
        if (!greeted) {
            greeted = true;
            if (terms.greeting().isPresent()) {
                return send(terms.greeting().get());
            }
        }
        return proceed();
    }

    private NextStep proceed() {
        NextStep next = null;
        while (next == null) {
            if (stopSignal.isRequested() && !(stage instanceof WatchPhase.Finished)) {
                stage = new WatchPhase.Finished(WatchEndReason.CLOSED);
            }
            next =
                    switch (stage) {
                        case WatchPhase.Initial initial -> sendInitial(initial);
                        case WatchPhase.Following following -> follow(following);
                        case WatchPhase.Sending changes -> sendChanges(changes);
                        case WatchPhase.CaughtUp(WatchPhase.Following then) -> waitForChanges(then);
                        case WatchPhase.Failing failing -> fail(failing);
                        case WatchPhase.Finished(WatchEndReason end) -> new NextStep.End(end);
                    };
        }
        return next;
    }

    private void noteSent() {
        if (sending != null) {
            silent &= sending.events() == 0;
            sending = null;
            schedule.sent();
        }
    }

    private @Nullable Cursor position() {
        return switch (stage) {
            case WatchPhase.Initial initial -> initial.start().position().cursor();
            case WatchPhase.Following following -> following.cursor();
            case WatchPhase.Sending changes -> changes.from();
            case WatchPhase.CaughtUp(WatchPhase.Following then) -> then.cursor();
            case WatchPhase.Failing _, WatchPhase.Finished _ -> null;
        };
    }

    /** How far it has come, for any thread; empty once it is at its end. */
    Optional<Cursor> cursor() {
        return Optional.ofNullable(reached);
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
        return stage instanceof WatchPhase.Initial;
    }

    @Override
    public void close() {
        subscription.close();
    }

    private static Iterator<KubeObject> objects(WatchStart.Initial start, Selection selection) {
        return ListPage.whole(start.position().snapshot(), selection, "").objects().iterator();
    }

    /**
     * Sends a portion of the initial events, and the bookmark after the last (list-watch.md#fa-6,
     * #wa-24).
     */
    private @Nullable NextStep sendInitial(WatchPhase.Initial initial) {
        Cursor cursor = initial.start().position().cursor();
        behind.setRelease(cursor);
        FrameBatch batch = new FrameBatch();
        while (initial.objects().hasNext() && !batch.isFull()) {
            batch.add(terms.frames().initial(initial.objects().next()));
        }
        if (initial.objects().hasNext()) {
            stage = unlessExpired(initial);
            return send(batch);
        }
        if (initial.start().endBookmark()) {
            batch.add(terms.frames().bookmark(cursor.revision(), true));
        }
        stage = unlessExpired(new WatchPhase.Following(cursor, cursor.revision(), false));
        return batch.isEmpty() ? null : send(batch);
    }

    private @Nullable NextStep follow(WatchPhase.Following following) {
        Cursor cursor = subscription.disarm(following.cursor());
        behind.setRelease(picky ? null : cursor);
        stage =
                switch (mirror.read(cursor)) {
                    case Reading.Progress progress -> changes(progress, cursor, following);
                    case Reading.Expired expired ->
                            new WatchPhase.Failing(
                                    StatusErrors.expiredWatch(cursor.revision(), expired.floor()),
                                    WatchEndReason.EXPIRED);
                    case Reading.Gap gap -> endAtGap(gap, following.cursor());
                    case Reading.Ended _ -> end(cursor);
                };
        return null;
    }

    private WatchPhase changes(
            Reading.Progress progress, Cursor cursor, WatchPhase.Following following) {
        List<LoggedChange> changes = progress.changes();
        if (!changes.isEmpty()) {
            behind.setRelease(cursor);
        }
        Revision floor =
                following.replaying() && !changes.isEmpty()
                        ? changes.getLast().change().revision()
                        : following.floor();
        return new WatchPhase.Sending(
                changes.iterator(),
                cursor,
                new WatchPhase.Following(progress.next(), floor, false));
    }

    private @Nullable NextStep sendChanges(WatchPhase.Sending sending) {
        FrameBatch batch = new FrameBatch();
        while (sending.changes().hasNext() && !batch.isFull()) {
            add(sending.changes().next(), batch);
        }
        if (sending.changes().hasNext()) {
            return send(batch);
        }
        WatchPhase.Following then = sending.then();
        Revision come = then.cursor().revision();
        if (schedule.takeBookmark() && come.isAfter(then.floor())) {
            batch.add(terms.frames().bookmark(come, false));
        }
        stage = unlessExpired(new WatchPhase.CaughtUp(then));
        if (!batch.isEmpty()) {
            return send(batch);
        }
        return schedule.isSilent() ? send(FrameBatch.sign(FrameEncoder.keepAlive())) : null;
    }

    private void add(LoggedChange logged, FrameBatch batch) {
        Optional<Change> view = terms.selection().view(logged.change());
        if (view.isPresent()) {
            batch.add(terms.frames().change(logged, view.get()));
        }
    }

    private NextStep send(FrameBatch batch) {
        sending = batch;
        return new NextStep.Send(batch);
    }

    /** Nothing, if something has come meanwhile. */
    private @Nullable NextStep waitForChanges(WatchPhase.Following following) {
        stage = following;
        reached = following.cursor();
        return subscription.arm(following.cursor()) ? new NextStep.Rest(schedule.due()) : null;
    }

    /**
     * The mirror began a new history: a clean end (list-watch.md#re-1), unless that comes so soon
     * that clients take it for a failure of the server (list-watch.md#wa-29). They are told then
     * what their next attempt would tell them, since their revision is of the old history
     * (list-watch.md#wa-9, #re-12).
     */
    private WatchPhase end(Cursor cursor) {
        boolean tooShort = silent && schedule.age().compareTo(TOO_SHORT) < 0;
        return tooShort
                ? new WatchPhase.Failing(
                        StatusErrors.expiredWatch(cursor.revision(), mirror.floor()),
                        WatchEndReason.EXPIRED)
                : new WatchPhase.Finished(WatchEndReason.RESET);
    }

    /** Rather a client that lists again than one that has missed changes without knowing. */
    private WatchPhase endAtGap(Reading.Gap gap, Cursor sent) {
        log.error(
                "A watch of {} is ended with 410 because it would have skipped changes: it has come"
                        + " to position {} at revision {} and would read on at position {}. This is"
                        + " a bug in kubemirror.",
                mirror.scope(),
                gap.expected(),
                sent.revision(),
                gap.found());
        return new WatchPhase.Failing(
                StatusErrors.expiredWatch(sent.revision(), mirror.revision()), WatchEndReason.GAP);
    }

    private NextStep fail(WatchPhase.Failing failing) {
        FrameBatch batch = new FrameBatch();
        batch.add(terms.frames().error(failing.status()));
        stage = new WatchPhase.Finished(failing.end());
        return send(batch);
    }

    private WatchPhase unlessExpired(WatchPhase next) {
        return schedule.isOver() ? new WatchPhase.Finished(WatchEndReason.TIMEOUT) : next;
    }
}
