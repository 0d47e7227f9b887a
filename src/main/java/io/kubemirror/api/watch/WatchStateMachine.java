package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.watch.WatchService.BatchProperties;
import io.kubemirror.api.watch.WatchSession.EndReason;
import io.kubemirror.api.watch.WatchSource.NextStep;
import io.kubemirror.mirror.ChangeTracer;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.Reading;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * The state machine of one watch. Reads the changes after its cursor from the mirror, and decides
 * what is sent next.
 *
 * <p>It keeps only a cursor (list-watch.md#fa-1) and reads more only after everything before has
 * been sent, so a slow client delays no other client (list-watch.md#fa-3, #tr-10). Steps do not
 * depend on HTTP and never wait. {@link WatchSession} executes them, on one thread at a time. Any
 * thread can read the progress.
 */
final class WatchStateMachine implements AutoCloseable {

    /** A stream that ends sooner without an event is an error to clients (list-watch.md#wa-29). */
    private static final Duration TOO_SHORT = Duration.ofSeconds(2);

    private static final AtomicReferenceFieldUpdater<WatchStateMachine, @Nullable Cursor> REACHED =
            AtomicReferenceFieldUpdater.newUpdater(
                    WatchStateMachine.class, Cursor.class, "reached");

    private final Mirror mirror;
    private final Selection selection;
    private final FrameEncoder frames;
    private final boolean mute;
    private final WatchSchedule schedule;
    private final BatchProperties limits;
    private final ChangeTracer tracer;
    private final Subscription subscription;
    private final Optional<Conflation> conflation;
    private WatchPhase stage;
    private SharedBodies.@Nullable Parts initialEvents;
    private boolean silent = true;

    /** The batch of the last {@link NextStep.Send}. */
    private @Nullable FrameBatch sending;

    /** The revision of the last event if no bookmark has followed it, else null. */
    private @Nullable Revision shown;

    /** What is sent before anything else, null once it is. */
    private @Nullable FrameBatch greeting;

    /** Everything up to this cursor has been sent; null after the end. Read by any thread. */
    private volatile @Nullable Cursor reached;

    /**
     * Whether the end has been requested. A requester writes this before it signals the watch, so
     * the run that follows the signal sees it.
     */
    private volatile boolean stopping;

    /**
     * Creates a watch that begins now. The caller must close it.
     *
     * @param start the first phase
     * @param greeting the batch that is sent before the events
     * @param signal called when a waiting watch has something to do
     * @param conflation what a conflated watch knows of its client
     */
    WatchStateMachine(
            CollectionRequest wanted,
            WatchPhase start,
            FrameEncoder frames,
            Optional<FrameBatch> greeting,
            WatchSchedule schedule,
            BatchProperties limits,
            ChangeTracer tracer,
            Subscription.Listener signal,
            Optional<Conflation> conflation) {
        this.mirror = wanted.mirror();
        this.selection = wanted.selection();
        this.frames = frames;
        this.greeting = greeting.orElse(null);
        this.mute = !frames.areWritable() && !(start instanceof WatchPhase.Failing);
        this.schedule = schedule;
        this.limits = limits;
        this.tracer = tracer;
        this.subscription = mirror.subscribe(selection, signal);
        if (schedule.hasStates()) {
            subscription.followState();
        }
        this.stage = start;
        this.conflation = conflation;
        this.reached = stage.position();
        conflation.ifPresent(seen -> cursor().ifPresent(seen::reach));
    }

    /** Returns the next step. The previous one must have been executed. */
    NextStep next() {
        noteSent();
        REACHED.lazySet(this, stage.position());
        FrameBatch first = greeting;
        greeting = null;
        return first == null ? proceed() : send(first);
    }

    private NextStep proceed() {
        NextStep next = null;
        while (next == null) {
            if (stopping) {
                stage = stage.stopped(mirror);
            }
            next =
                    switch (stage) {
                        case WatchPhase.Initial initial -> sendInitial(initial);
                        case WatchPhase.Following following -> follow(following);
                        case WatchPhase.Sending changes -> sendChanges(changes);
                        case WatchPhase.SendingMissed missed -> sendMissed(missed);
                        case WatchPhase.CaughtUp(WatchPhase.Following then) -> waitForChanges(then);
                        case WatchPhase.Failing failing -> fail(failing);
                        case WatchPhase.Finished(EndReason end) -> new NextStep.End(end);
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

    /** Returns the position of the watch, empty after its end. Thread-safe. */
    Optional<Cursor> cursor() {
        return Optional.ofNullable(reached);
    }

    /**
     * Returns the changes that the client has not been sent, given the time on the clock of the
     * mirror's writer. A watch with a selection is behind only while it sends, because the changes
     * that it is not signaled for do not concern it. A client that asked for older changes waits
     * for them since the watch began. Thread-safe.
     */
    Backlog backlog(long nanos) {
        Cursor waits = subscription.signaledAfter();
        Cursor sent = waits == null && !selection.isEverything() ? null : reached;
        Cursor cursor = sent == null || waits == null ? sent : sent.latest(waits);
        Backlog all = cursor == null ? Backlog.NONE : mirror.backlog(cursor, nanos);
        return all.age().compareTo(age()) > 0 ? new Backlog(all.changes(), age()) : all;
    }

    /** Returns the age of the watch. */
    Duration age() {
        return schedule.age();
    }

    /** Returns the watched mirror. */
    Mirror mirror() {
        return mirror;
    }

    /** Returns the revision of the oldest state that the watch may hold in memory. */
    Revision revision() {
        Cursor cursor = stage.position();
        return cursor == null ? mirror.revision() : cursor.revision();
    }

    /** Releases the states that are held in memory, without waiting for a pending write. */
    void releaseIfStopping() {
        if (stopping || conflation.filter(Conflation::isAborted).isPresent()) {
            stage = new WatchPhase.Finished(EndReason.CLOSED);
            release();
        }
    }

    /** Requests the end of the watch. The caller must signal the watch afterwards. Thread-safe. */
    void requestEnd() {
        stopping = true;
    }

    /** Ends the watch with an error, if it has not ended. Confined to runs. */
    void refuse(Status why) {
        if (!(stage instanceof WatchPhase.Finished)) {
            stage = new WatchPhase.Failing(why, EndReason.CLOSED);
        }
    }

    /** Whether the end of the watch has been requested. Thread-safe. */
    boolean isEndRequested() {
        return stopping;
    }

    /** Whether no event can be encoded, so that the first ends the watch (list-watch.md#ne-33). */
    boolean isMute() {
        return mute;
    }

    /** Whether the watch is sending its initial events, which come from one snapshot. */
    boolean isInitial() {
        return stage instanceof WatchPhase.Initial;
    }

    @Override
    public void close() {
        subscription.close();
        release();
    }

    private void release() {
        conflation.ifPresent(Conflation::close);
        if (initialEvents != null) {
            initialEvents.close();
            initialEvents = null;
        }
    }

    /**
     * Sends a batch of initial events, and the bookmark after the last one (list-watch.md#fa-6,
     * #wa-24).
     */
    private @Nullable NextStep sendInitial(WatchPhase.Initial initial) {
        Cursor cursor = initial.state().cursor();
        if (initialEvents == null) {
            initialEvents = frames.initial(initial.state().snapshot(), selection);
        }
        FrameBatch batch = batch();
        initialEvents.take(
                frame -> {
                    batch.add(frame);
                    return !batch.isFull();
                });
        if (initialEvents.hasNext()) {
            stage = unlessExpired(initial);
            return send(batch);
        }
        initialEvents.close();
        initialEvents = null;
        if (initial.endBookmark()) {
            batch.add(frames.bookmark(cursor.revision(), true), cursor.revision());
        }
        stage = unlessExpired(new WatchPhase.Following(cursor, cursor.revision(), false));
        return batch.isEmpty() ? null : send(batch);
    }

    private @Nullable NextStep follow(WatchPhase.Following following) {
        Cursor cursor = subscription.disarm(following.cursor());
        Reading reading = mirror.read(cursor);
        boolean delays = !following.replaying() && schedule.isDelayed();
        if (delays && schedule.holds(isTooSmall(reading))) {
            stage = following.at(cursor);
            REACHED.lazySet(this, cursor);
            return new NextStep.Rest(schedule.heldUntil());
        }
        WatchPhase missed =
                conflation.isPresent()
                        ? conflation.get().next(reading, cursor, following).orElse(null)
                        : null;
        stage = missed == null ? read(reading, cursor, following) : missed;
        return null;
    }

    private WatchPhase read(Reading reading, Cursor cursor, WatchPhase.Following following) {
        return switch (reading) {
            case Reading.Progress progress -> changes(progress, cursor, following);
            case Reading.Expired expired ->
                    WatchPhase.failed(
                            StatusErrors.expiredWatch(cursor.revision(), expired.floor()));
            case Reading.Gap gap -> WatchPhase.gap(mirror, gap, following.cursor());
            case Reading.Ended _ -> {
                boolean tooShort = silent && age().compareTo(TOO_SHORT) < 0;
                yield WatchPhase.reset(mirror, cursor, tooShort);
            }
        };
    }

    /** Whether there are events for the client, but fewer than a batch may have. */
    private boolean isTooSmall(Reading reading) {
        long events = reading instanceof Reading.Progress read ? read.countWhole(selection) : 0;
        return events > 0 && events < limits.maxEvents();
    }

    private FrameBatch batch() {
        return new FrameBatch(limits.maxBytes().toBytes(), limits.maxEvents(), frames.lead());
    }

    private WatchPhase changes(
            Reading.Progress progress, Cursor cursor, WatchPhase.Following following) {
        List<LoggedChange> changes = progress.changes();
        if (!changes.isEmpty()) {
            REACHED.lazySet(this, cursor);
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
        FrameBatch batch = batch();
        while (sending.changes().hasNext() && !batch.isFull()) {
            add(sending.changes().next(), batch);
        }
        if (sending.changes().hasNext()) {
            return send(batch);
        }
        WatchPhase.Following then = sending.then();
        Revision come = then.cursor().revision();
        if (schedule.hasStates()) {
            schedule.takeState()
                    .ifPresent(
                            now -> batch.append(frames.state(come, now.text(), now.since()), come));
        }
        boolean due = schedule.takeBookmark();
        if ((due || isStranded()) && come.isAfter(then.floor())) {
            batch.add(frames.bookmark(come, false), come);
            shown = null;
        }
        stage = unlessExpired(new WatchPhase.CaughtUp(then));
        if (!batch.isEmpty()) {
            return send(batch);
        }
        return schedule.takeKeepAlive() ? send(FrameBatch.sign(FrameEncoder.keepAlive())) : null;
    }

    /** Whether the client could not resume at the last event (list-watch.md#re-14). */
    private boolean isStranded() {
        return schedule.hasBookmarks() && shown != null && mirror.isMissed(shown);
    }

    private @Nullable NextStep sendMissed(WatchPhase.SendingMissed missed) {
        FrameBatch batch = batch();
        while (missed.events().hasNext() && !batch.isFull()) {
            Change event = missed.events().next();
            batch.add(frames.missed(event));
            shown = event.revision();
        }
        if (missed.events().hasNext()) {
            return send(batch);
        }
        WatchPhase.Following then = missed.then();
        if (!missed.isComplete() && schedule.hasBookmarks()) {
            batch.add(frames.gap(then.cursor().revision(), missed.from().revision()));
        }
        stage = unlessExpired(then);
        return batch.isEmpty() ? null : send(batch);
    }

    private void add(LoggedChange logged, FrameBatch batch) {
        Optional<Change> view = selection.view(logged.change());
        if (view.isPresent()) {
            Revision after = logged.change().revision();
            batch.add(
                    frames.change(logged, view.get()), after, schedule.sinceBegin(logged.nanos()));
            batch.trace(tracer.find(mirror.scope(), after));
            shown = after;
        }
    }

    private NextStep send(FrameBatch batch) {
        sending = batch;
        return new NextStep.Send(batch);
    }

    /** Returns null if there is something to send meanwhile. */
    private @Nullable NextStep waitForChanges(WatchPhase.Following following) {
        stage = following;
        REACHED.lazySet(this, following.cursor());
        boolean armed = subscription.arm(following.cursor());
        // In this order: a state that changes later signals the subscription, or is due in time.
        NextStep rest = schedule.rest();
        return armed ? rest : null;
    }

    private NextStep fail(WatchPhase.Failing failing) {
        FrameBatch batch = batch();
        batch.add(frames.error(failing.status()));
        stage = new WatchPhase.Finished(failing.end());
        return send(batch);
    }

    private WatchPhase unlessExpired(WatchPhase next) {
        return schedule.isOver() ? new WatchPhase.Finished(EndReason.TIMEOUT) : next;
    }
}
