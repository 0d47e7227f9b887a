package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.encode.SharedBodies;
import io.kubemirror.api.http.RequestCredentials;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.read.Plan.SelectedWatch;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.SnapshotPins;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch of one resource: what its client has been sent, and what it is sent next.
 *
 * <p>It keeps only a cursor (list-watch.md#fa-1) and reads more only after everything before has
 * been sent, so a slow client delays no other client (list-watch.md#fa-3, #tr-10). Steps do not
 * depend on HTTP and never wait. {@link WatchConnection} executes them, on one thread at a time.
 * Any thread can read the progress.
 */
public final class Watch {

    private static final Logger log = LoggerFactory.getLogger(Watch.class);

    /** A stream that ends sooner without an event is an error to clients (list-watch.md#wa-29). */
    private static final Duration TOO_SHORT = Duration.ofSeconds(2);

    /** The size at which a batch is sent, in bytes. */
    private static final int FULL = 128 * 1024;

    private final Mirror mirror;
    private final Selection selection;
    private final FrameEncoder frames;
    private final UnaryOperator<byte[]> placed;
    private final Optional<RequestCredentials> credentials;
    private final boolean mute;
    private final Watcher client;
    private final CoalescingTask task;
    private final WatchSchedule schedule;
    private final WatchMeters.Meter meter;
    private final WatchRegistry registry;
    private final Subscription subscription;

    private WatchPhase phase;
    private SharedBodies.@Nullable Parts initialEvents;
    private boolean silent = true;

    /** Counts the states that are still to be sent, null if there is none. */
    private SnapshotPins.@Nullable Pin pin;

    /** The batch of the last {@link NextStep.Send}. */
    private @Nullable FrameBatch sending;

    /** The revision of the last event if no bookmark has followed it, else null. */
    private @Nullable Revision shown;

    /** Everything up to this cursor has been sent; null after the end. Read by any thread. */
    private volatile @Nullable Cursor reached;

    /** Whether the watch ends after its next bookmark. Written before the signal. */
    private volatile boolean leaving;

    /** Count what has been sent. Written by one thread at a time, in order; read by any thread. */
    private volatile long events, bytes;

    /**
     * Creates a watch that begins now. The caller must end it.
     *
     * @param start how it begins
     * @param task the task of its connection, which it signals when it has something to do
     * @param schedule its own schedule
     * @param meter the metrics of the mirror
     * @param registry the watch is removed from it at its end
     */
    Watch(
            SelectedWatch part,
            WatchPhase start,
            Watcher client,
            CoalescingTask task,
            WatchSchedule schedule,
            WatchMeters.Meter meter,
            WatchRegistry registry) {
        this.mirror = part.wanted().mirror();
        this.selection = part.wanted().selection();
        this.frames = part.frames();
        this.placed = part.placed();
        this.credentials = part.credentials();
        this.phase = start;
        this.mute = !frames.areWritable() && !(phase instanceof WatchPhase.Failing);
        this.client = client;
        this.task = task;
        this.schedule = schedule;
        this.meter = meter;
        this.registry = registry;
        this.subscription = mirror.subscribe(selection, task);
        if (schedule.hasStates()) {
            subscription.followState();
        }
        this.reached = phase.position();
        meter.opened();
    }

    /**
     * The sender of a watch request.
     *
     * @param address the address and port of the client
     * @param agent the beginning of its {@code User-Agent}, empty if absent
     * @param selection the selected part of the mirror
     * @param since the start time
     */
    record Watcher(String address, String agent, String selection, Instant since) {}

    /** The next step of a watch. */
    sealed interface NextStep {

        /** Send a batch, and continue when it has been sent. */
        record Send(FrameBatch batch) implements NextStep {}

        /**
         * Wait for a signal.
         *
         * @param until the time at which the watch continues without a signal, on the clock of its
         *     schedule
         */
        record Rest(long until) implements NextStep {}

        /** End the watch. */
        record End(EndReason reason) implements NextStep {}
    }

    /** Returns the next step. The previous one must have been executed. */
    NextStep next() {
        if (pin == null && phase instanceof WatchPhase.Initial initial) {
            pin = mirror.pin(initial.state().snapshot(), this::endSlow);
        }
        if (!isInitial() && !(phase instanceof WatchPhase.Sending)) {
            unpin();
        }
        noteSent();
        reached = phase.position();
        try {
            return proceed();
        } catch (RuntimeException bug) {
            if (phase instanceof WatchPhase.Failing) {
                throw bug;
            }
            log.error("A watch failed", bug);
            phase =
                    new WatchPhase.Failing(
                            StatusErrors.internal("the watch failed"), EndReason.CLOSED);
            return proceed();
        }
    }

    private void unpin() {
        if (pin != null) {
            pin.close();
            pin = null;
        }
    }

    private NextStep proceed() {
        NextStep next = null;
        while (next == null) {
            if (isEndRequested()) {
                phase = phase.stopped();
            }
            next =
                    switch (phase) {
                        case WatchPhase.Initial initial -> sendInitial(initial);
                        case WatchPhase.Following following -> follow(following);
                        case WatchPhase.Sending changes -> sendChanges(changes);
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

    private Duration age() {
        return schedule.age();
    }

    /** Returns the watched mirror. Thread-safe. */
    Mirror mirror() {
        return mirror;
    }

    /** Whether the watch is sending its initial events, which come from one snapshot. */
    boolean isInitial() {
        return phase instanceof WatchPhase.Initial;
    }

    /** Records that a batch has been sent. By one thread at a time. */
    void count(FrameBatch batch) {
        long sentEvents = events + batch.events();
        long sentBytes = bytes + batch.bytes();
        events = sentEvents;
        bytes = sentBytes;
        meter.delivered(batch);
    }

    /** Releases the states that are held in memory, without waiting for a pending write. */
    void releaseIfStopping() {
        if (isEndRequested()) {
            phase = new WatchPhase.Finished(EndReason.CLOSED);
            release();
        }
    }

    /** Ends the watch, once. */
    void end(EndReason why) {
        subscription.close();
        release();
        registry.remove(this);
        meter.closed(why, age());
    }

    private void release() {
        unpin();
        if (initialEvents != null) {
            initialEvents.close();
            initialEvents = null;
        }
    }

    /** Whether the end of the connection has been requested. Thread-safe. */
    boolean isEndRequested() {
        return task.isEndRequested();
    }

    private void endSlow() {
        log.warn("{}: ending the watch of a slow client, because memory is low", mirror.scope());
        requestEnd();
    }

    /** Requests the end of the connection. Thread-safe. */
    public void requestEnd() {
        task.requestEnd();
    }

    /**
     * Whether the client may be sent to another replica, where it continues at a bookmark.
     * Thread-safe.
     */
    boolean isMovable() {
        return schedule.isMovable();
    }

    /** Whether the watch is about to end because its client is sent elsewhere. Thread-safe. */
    boolean isLeaving() {
        return leaving;
    }

    /**
     * Ends the connection after a bookmark, which is sent as soon as the mirror has passed the
     * revision at which the watch began (list-watch.md#bm-7). Thread-safe.
     */
    void leave() {
        leaving = true;
        task.signal();
    }

    /** Returns the credentials of the client, empty if none are required. Thread-safe. */
    Optional<RequestCredentials> credentials() {
        return credentials;
    }

    /**
     * Returns the state of the watch for operators, empty after its end. Thread-safe.
     *
     * @param now the current time on the clock of the mirror's writer
     */
    Optional<WatcherInfo> info(long now) {
        Cursor cursor = reached;
        if (cursor == null) {
            return Optional.empty();
        }
        Backlog backlog = backlog(now);
        return Optional.of(
                new WatcherInfo(
                        client.address(),
                        client.agent(),
                        credentials.map(RequestCredentials::user).orElse(""),
                        client.selection(),
                        client.since(),
                        cursor.revision().digits(),
                        backlog.changes(),
                        backlog.age().toMillis() / 1000.0,
                        events,
                        bytes));
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
        boolean more =
                initialEvents.take(
                        frame -> {
                            batch.add(frame);
                            return !batch.isFull();
                        });
        if (more) {
            phase = unlessExpired(initial);
            return send(batch);
        }
        initialEvents.close();
        initialEvents = null;
        if (initial.endBookmark()) {
            batch.add(frames.bookmark(cursor.revision(), true));
        }
        phase = unlessExpired(new WatchPhase.Following(cursor, cursor.revision(), false));
        return send(batch);
    }

    private @Nullable NextStep follow(WatchPhase.Following following) {
        Cursor cursor = subscription.disarm(following.cursor());
        Reading reading = mirror.read(cursor);
        NextStep held = following.replaying() ? null : schedule.hold(() -> hasEvents(reading));
        if (held == null) {
            phase = read(reading, cursor, following);
        } else {
            phase = following.at(cursor);
            reached = cursor;
        }
        return held;
    }

    private WatchPhase read(Reading reading, Cursor cursor, WatchPhase.Following following) {
        return switch (reading) {
            case Reading.Progress progress -> changes(progress, cursor, following);
            case Reading.Expired expired -> WatchPhase.expired(cursor.revision(), expired.floor());
            case Reading.Gap gap -> WatchPhase.gap(mirror, gap, following.cursor());
            case Reading.Ended _ -> {
                boolean tooShort = silent && age().compareTo(TOO_SHORT) < 0;
                yield WatchPhase.reset(mirror, cursor, tooShort);
            }
        };
    }

    /** Whether there are events for the client, and others could still join them. */
    private boolean hasEvents(Reading reading) {
        return reading instanceof Reading.Progress read
                && !read.isFull()
                && read.changes().stream().anyMatch(one -> selection.matches(one.change()));
    }

    private FrameBatch batch() {
        FrameBatch batch = new FrameBatch(FULL, schedule.limits().maxEvents(), placed);
        schedule.greet(batch);
        return batch;
    }

    private WatchPhase changes(
            Reading.Progress progress, Cursor cursor, WatchPhase.Following following) {
        unpin();
        List<LoggedChange> changes = progress.changes();
        if (!changes.isEmpty()) {
            reached = cursor;
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
        while (sending.changes().hasNext()) {
            LoggedChange change = sending.changes().next();
            add(change, batch);
            if (batch.isFull() && sending.changes().hasNext()) {
                pin = pin == null ? mirror.pin(change.after(), this::endSlow) : pin;
                return send(batch);
            }
        }
        phase = unlessExpired(new WatchPhase.CaughtUp(sending.then()));
        addDue(batch, sending.then());
        return send(batch);
    }

    /** Adds what is due when all changes have been sent, which may end the watch. */
    private void addDue(FrameBatch batch, WatchPhase.Following then) {
        Revision come = then.cursor().revision();
        schedule.takeState()
                .ifPresent(now -> batch.append(frames.state(come, now.text(), now.since())));
        boolean due = schedule.takeBookmark();
        if ((due || leaving || isStranded()) && come.isAfter(then.floor())) {
            batch.add(frames.bookmark(come, false));
            shown = null;
            phase = leaving ? new WatchPhase.Finished(EndReason.REBALANCED) : phase;
        }
        if (batch.isEmpty() && schedule.takeKeepAlive()) {
            batch.append(FrameEncoder.keepAlive());
        }
    }

    /** Whether the client could not resume at the last event (list-watch.md#re-14). */
    private boolean isStranded() {
        return schedule.hasBookmarks() && shown != null && mirror.isMissed(shown);
    }

    private void add(LoggedChange logged, FrameBatch batch) {
        Optional<Change> view = selection.view(logged.change());
        if (view.isPresent()) {
            Revision after = logged.change().revision();
            batch.add(frames.change(logged, view.get()), schedule.sinceBegin(logged.nanos()));
            shown = after;
        }
    }

    /**
     * Returns null if there is nothing to send. If no event can be encoded, the first ends the
     * watch (list-watch.md#ne-31).
     */
    private @Nullable NextStep send(FrameBatch batch) {
        if (mute) {
            return batch.events() == 0 ? null : new NextStep.End(EndReason.CLOSED);
        }
        if (batch.isEmpty()) {
            return null;
        }
        sending = batch;
        return new NextStep.Send(batch);
    }

    /** Returns null if there is something to send meanwhile. */
    private @Nullable NextStep waitForChanges(WatchPhase.Following following) {
        phase = following;
        reached = following.cursor();
        boolean armed = subscription.arm(following.cursor());
        // In this order: a state that changes later signals the subscription, or is due in time.
        NextStep rest = schedule.rest();
        return armed ? rest : null;
    }

    private @Nullable NextStep fail(WatchPhase.Failing failing) {
        FrameBatch batch = batch();
        batch.add(frames.error(failing.status()));
        phase = new WatchPhase.Finished(failing.end());
        return send(batch);
    }

    private WatchPhase unlessExpired(WatchPhase next) {
        return schedule.isOver() ? new WatchPhase.Finished(EndReason.TIMEOUT) : next;
    }
}
