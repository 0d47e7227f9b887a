package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.EventLog.LogView;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;

/**
 * A mirrored collection: the present state and the recent changes, for any number of readers.
 *
 * <p>One {@link MirrorWriter} publishes immutable views. Readers take the newest view and never
 * lock. A reader calls {@link #read} for the changes after its cursor. If there are none, it
 * {@linkplain #subscribe subscribes} and waits for a signal. A reader that is too slow leaves the
 * window and gets {@link Reading.Expired}; other readers are not affected.
 *
 * <p>All methods are safe for use by any thread.
 */
public final class Mirror {

    /** Distinguishes the histories of all mirrors of the process. */
    private static final AtomicLong HISTORIES = new AtomicLong();

    private final Scope scope;
    private final Window window;
    private final ReadPolicy reads;
    private final LongSupplier nanos;
    private final Notifier notifier;
    private final SnapshotPins pins = new SnapshotPins();

    /** Immutable and published in one write, so readers see all of it or none. */
    private volatile View view;

    /** Both are set by {@link MirrorSet} before it ends what uses the mirror, never cleared. */
    private volatile boolean removed;

    /** Changed by the thread of the writer, and by the one that restores the mirror before. */
    private final AtomicReference<UpstreamStatus> upstream =
            new AtomicReference<>(
                    new UpstreamStatus(Phase.RESOLVING, Instant.EPOCH, Instant.EPOCH, ""));

    /**
     * Creates a mirror without content.
     *
     * @param window how much history it keeps
     * @param reads how it is read
     * @param executor signals waiting subscriptions; should have a single thread of its own
     * @param nanos a monotonic clock in nanoseconds, such as {@link System#nanoTime}
     */
    public Mirror(
            Scope scope, Window window, ReadPolicy reads, Executor executor, LongSupplier nanos) {
        this.nanos = nanos;
        this.scope = scope;
        this.window = window;
        this.reads = reads;
        long era = HISTORIES.getAndIncrement() << 32;
        this.view =
                new View(
                        era,
                        null,
                        DeclaredFields.NONE,
                        null,
                        Revision.ZERO,
                        LogView.empty(),
                        Instant.EPOCH);
        this.notifier = new Notifier(executor, () -> view, view.cursor());
    }

    /** Returns whether it has left its set. It keeps its last state, and does not advance. */
    public boolean isRemoved() {
        return removed;
    }

    void remove() {
        removed = true;
    }

    /** Returns the mirrored scope, as configured. */
    public Scope scope() {
        return scope;
    }

    /** Returns how it is read. */
    public ReadPolicy reads() {
        return reads;
    }

    /** Returns the type of the objects, empty until discovery has succeeded. */
    public Optional<ResourceType> type() {
        return Optional.ofNullable(view.type());
    }

    /**
     * Returns the fields that the definition of the type declares. They change only while there is
     * no content: a reader that reads first the fields and then a snapshot gets fields of older or
     * equal content.
     */
    public DeclaredFields declaredFields() {
        return view.declared();
    }

    /** Returns the state of the connection upstream, not before that of any view. */
    public UpstreamStatus upstream() {
        return upstream.get().contacted(view.contact());
    }

    /**
     * Returns whether this mirror can serve requests. A type that the server does not have counts
     * as synchronized (list-watch.md#in-4).
     */
    public boolean isSynced() {
        return snapshot().isPresent() || upstream().phase() == Phase.ABSENT;
    }

    /**
     * Returns the present state; empty until the first synchronization is complete
     * (list-watch.md#in-1, #in-2).
     */
    public Optional<Snapshot> snapshot() {
        return Optional.ofNullable(view.snapshot());
    }

    /**
     * Returns the state as of a revision; empty if the revision is before the window or after the
     * present state, or the mirror missed the state (list-watch.md#li-9, #li-21, #li-28).
     */
    public Optional<Snapshot> snapshot(Revision exact) {
        return isMissed(exact) ? Optional.empty() : view.at(view.whole(exact));
    }

    /** Returns whether the mirror missed the state as of a revision: it shows what came after. */
    public boolean isMissed(Revision exact) {
        return view.recent().coverage().isMissed(exact);
    }

    /**
     * Returns the revision of the present state, 0 until the first synchronization is complete
     * (list-watch.md#conventions).
     */
    public Revision revision() {
        return view.revision();
    }

    /** Returns the smallest revision that a watch may start from (list-watch.md#conventions). */
    public Revision floor() {
        return view.recent().coverage().floor();
    }

    /** Returns the size of the stored objects in bytes. */
    public long bytes() {
        return view.bytes();
    }

    /** Returns the changes that a reader has not read yet, given the time on the writer's clock. */
    public Backlog backlog(Cursor cursor, long nanos) {
        View now = view;
        return cursor.era() == now.era()
                ? now.recent().backlog(cursor.revision(), nanos)
                : Backlog.NONE;
    }

    /**
     * Waits for some time until the mirror has reached a revision (list-watch.md#li-20), and
     * returns whether it has; does not wait if the time is zero.
     */
    public boolean await(Revision revision, Duration patience) throws InterruptedException {
        return await(() -> view.hasReached(revision), patience);
    }

    /**
     * Waits for a condition that a publication makes true; zero patience only checks it.
     *
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public boolean await(BooleanSupplier condition, Duration patience) throws InterruptedException {
        if (condition.getAsBoolean() || !patience.isPositive()) {
            return condition.getAsBoolean();
        }
        long deadline = nanos.getAsLong() + patience.toNanos();
        Thread reader = Thread.currentThread();
        try (Subscription subscription =
                subscribe(Selection.everything(), () -> LockSupport.unpark(reader))) {
            for (Cursor now = view.cursor(); !condition.getAsBoolean(); now = view.cursor()) {
                long left = deadline - nanos.getAsLong();
                if (left <= 0) {
                    return false;
                }
                // A publication that the condition has not seen comes after the cursor.
                if (subscription.signaledAfter() == null || subscription.arm(now)) {
                    LockSupport.parkNanos(subscription, left);
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                }
            }
            return true;
        }
    }

    /**
     * Returns whether a watch may start after a revision. A watch may start from a future revision
     * and gets no events until the mirror reaches it (list-watch.md#wa-8).
     */
    public StartPosition start(Revision after) {
        return view.start(after);
    }

    /**
     * Returns the present state and the cursor from which the live events of a watch with initial
     * events begin (list-watch.md#fa-6); empty until the first synchronization is complete.
     */
    public Optional<Position> position() {
        View now = view;
        Snapshot snapshot = now.snapshot();
        return snapshot == null
                ? Optional.empty()
                : Optional.of(new Position(snapshot, now.cursor()));
    }

    /**
     * A state and the cursor that continues from it.
     *
     * @param snapshot the state
     * @param cursor the position after the last change in the state
     */
    public record Position(Snapshot snapshot, Cursor cursor) {}

    /**
     * Registers a reader that is signaled when there is something to read of a selection, until it
     * closes the subscription, which is not armed.
     *
     * @param listener called on a thread of the mirror, so it must return at once
     */
    public Subscription subscribe(Selection selection, Subscription.Listener listener) {
        return new Subscription(notifier, selection, listener);
    }

    /**
     * Counts a state against the memory of all mirrors until the reader that keeps it closes the
     * pin. If that memory is full, the readers of the oldest states are ended.
     *
     * @param abort ends the reader; must return at once
     */
    public SnapshotPins.Pin pin(Snapshot state, Runnable abort) {
        return pins.add(state, abort);
    }

    /** Returns what only slow readers keep in memory, in bytes, at most. */
    long pinned() {
        return pins.held(removed ? Long.MAX_VALUE : view.recent().base().replaced());
    }

    /** Returns the states that readers keep in memory. */
    SnapshotPins pins() {
        return pins;
    }

    /** Returns the changes after a cursor, possibly none. */
    public Reading read(Cursor cursor) {
        return view.read(cursor);
    }

    /** Returns whether there is a subscription. */
    public boolean hasReaders() {
        return notifier.hasSubscriptions();
    }

    Notifier notifier() {
        return notifier;
    }

    Window window() {
        return window;
    }

    /** Returns what was published last. */
    public View view() {
        return view;
    }

    /** Called by the writer only, under its lock. */
    void publish(View next) {
        view = next;
        notifier.signal();
    }

    /** Publishes a shorter history, without a signal. Called under the writer's lock. */
    void shorten(LogView recent) {
        view = view.with(recent);
    }

    /** Called by the writer, and by a restoration while the writer may report that it waits. */
    void report(UpstreamStatus now) {
        UpstreamStatus before = upstream.getAndUpdate(now::following);
        if (now.state() != before.state()) {
            notifier.signalState();
        }
    }

    /**
     * The changes that a reader has not read yet.
     *
     * @param changes the number of changes after its cursor, whether or not they match its
     *     selection; at most the size of the window
     * @param age the age of the oldest of them, zero if there is none
     */
    public record Backlog(long changes, Duration age) {

        /** The reader has read everything. */
        public static final Backlog NONE = new Backlog(0, Duration.ZERO);
    }

    /** Whether a watch can start from a revision. */
    public sealed interface StartPosition {

        /**
         * The watch can start.
         *
         * @param cursor where to read on
         */
        record From(Cursor cursor) implements StartPosition {}

        /**
         * The revision is older than the window (list-watch.md#wa-9).
         *
         * @param floor the smallest revision that a watch can start from
         */
        record TooOld(Revision floor) implements StartPosition {}
    }

    /** The result of reading from a mirror. */
    public sealed interface Reading {

        /**
         * The reader has advanced, or there was nothing to read.
         *
         * @param changes the changes after the cursor, oldest first, possibly none
         * @param next the cursor to continue with; everything up to its revision is in this or
         *     earlier readings
         */
        record Progress(List<LoggedChange> changes, Cursor next) implements Reading {

            /** The maximum number of changes, which bounds what a reader encodes at once. */
            static final int MAX_CHANGES = 512;

            /** Returns whether there may be more changes already. */
            public boolean isFull() {
                return changes.size() == MAX_CHANGES;
            }
        }

        /**
         * The reader was too slow: changes after its cursor have been evicted (list-watch.md#fa-4).
         *
         * @param floor the smallest revision that a watch can start from now
         */
        record Expired(Revision floor) implements Reading {}

        /**
         * The next change does not join the last one that was read. The reader would have skipped
         * or repeated changes, because of a bug in kubemirror, and must list again.
         *
         * @param expected the position after the last change that was read
         * @param found the position of the next change
         */
        record Gap(long expected, long found) implements Reading {}

        /**
         * The content of the mirror was replaced without a bridge, so the stream ends
         * (list-watch.md#re-1).
         */
        record Ended() implements Reading {}
    }
}
