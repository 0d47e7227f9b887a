package io.kubemirror.mirror;

import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The recent changes of a collection. A ring buffer that grows while its oldest change is younger
 * than the window and shrinks when three quarters of its changes are older (list-watch.md#hi-1 to
 * #hi-8).
 *
 * <p>Only the writer of the mirror uses it, under the writer's lock. Readers get a {@link LogView}.
 * Only new changes evict changes, so that clients of a quiet collection can resume from a long time
 * ago (list-watch.md#hi-5), unless another mirror needs the shared memory ({@link #shorten}).
 */
final class EventLog {

    /**
     * Access to the slots of a ring that readers share. Readers use acquire mode, and all objects
     * in slots have final fields. A reader that looks at a slot twice therefore never sees an
     * overwritten value after its replacement, which plain reads permit.
     */
    static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(LoggedChange[].class);

    private final Window window;
    private @Nullable LoggedChange[] ring;
    private long first;
    private long next;
    private long bytes;
    private Revision floor;
    private Revision reach;
    private Snapshot base;
    private long baseCost;

    EventLog(Window window) {
        this.window = window;
        this.ring = new @Nullable LoggedChange[window.minimum()];
        this.floor = Revision.ZERO;
        this.reach = Revision.ZERO;
        this.base = Snapshot.empty(Revision.ZERO);
    }

    /** Discards all changes. The history now begins with the given state (list-watch.md#hi-6). */
    void reset(Snapshot start) {
        ring = new @Nullable LoggedChange[window.minimum()];
        first = next;
        bytes = 0;
        floor = start.revision();
        reach = start.revision();
        base = start;
        baseCost = 0;
    }

    /** Appends a change, which must be later than every change before it. */
    void append(Change change, Snapshot after, long nanos) {
        LoggedChange logged = new LoggedChange(next, change, after, nanos);
        fit(nanos);
        bytes += logged.cost();
        fitBytes();
        SLOTS.setRelease(ring, slot(next, ring.length), logged);
        next++;
    }

    /**
     * Records that the store replaced a known object without a change. The log still holds the
     * known object, now alone, and accounts for its memory. Otherwise, in a collection whose
     * objects are updated all the time by hidden updates, every change could hold an uncounted copy
     * of the whole collection.
     *
     * @param known the object until now
     * @param present the collection from now on
     */
    void refreshed(KubeObject known, Snapshot present) {
        KubeObject held = newest().find(known.key());
        if (held == null || !held.isSameState(known)) {
            return;
        }
        long cost = LoggedChange.OVERHEAD + known.json().length;
        bytes += cost;
        if (first < next) {
            at(next - 1).charge(cost);
        } else {
            baseCost += cost;
        }
        fitBytes();
        if (bytes > window.bytes()) {
            forgetBase(present);
        }
    }

    /**
     * Discards all changes but keeps the first state. Readers do not need the changes, because none
     * is lost.
     */
    private void forgetBase(Snapshot present) {
        base = present;
        baseCost = 0;
        bytes = 0;
    }

    /**
     * Evicts the oldest changes until the given number of bytes is free or the log is empty.
     *
     * @param excess in bytes
     * @param present the collection now
     * @return the number of bytes that were freed
     */
    long shorten(long excess, Snapshot present) {
        long before = bytes;
        while (before - bytes < excess && first < next) {
            evictOldest();
        }
        if (before - bytes < excess) {
            forgetBase(present);
        }
        return before - bytes;
    }

    private Snapshot newest() {
        return first < next ? at(next - 1).after() : base;
    }

    /** Returns a view of the log for readers. */
    LogView recent() {
        return new LogView(ring, first, next, floor, reach, base);
    }

    /** Returns the number of changes in the log. */
    int size() {
        return (int) (next - first);
    }

    /** Returns the number of bytes that only the log keeps reachable. */
    long bytes() {
        return bytes;
    }

    int capacity() {
        return ring.length;
    }

    private void fitBytes() {
        while (bytes > window.bytes() && first < next) {
            evictOldest();
        }
    }

    private void fit(long now) {
        if (size() < ring.length) {
            return;
        }
        boolean oldestIsYoung = now - at(first).nanos() < window.span().toNanos();
        if (oldestIsYoung && ring.length < window.maximum()) {
            resize((int) Math.min(2L * ring.length, window.maximum()));
            return;
        }
        int quarter = ring.length / 4;
        boolean mostAreOld =
                now - at(next - Math.max(quarter, 1)).nanos() > window.span().toNanos();
        int half = Math.max(ring.length / 2, window.minimum());
        if (mostAreOld && half < ring.length) {
            while (size() > half) {
                evictOldest();
            }
            resize(half);
        }
        if (size() == ring.length) {
            evictOldest();
        }
    }

    private void resize(int capacity) {
        @Nullable LoggedChange[] larger = new @Nullable LoggedChange[capacity];
        for (long sequence = first; sequence < next; sequence++) {
            larger[slot(sequence, capacity)] = at(sequence);
        }
        ring = larger;
    }

    private void evictOldest() {
        LoggedChange oldest = at(first);
        SLOTS.setRelease(ring, slot(first, ring.length), null);
        bytes -= oldest.cost() + baseCost;
        base = oldest.after();
        baseCost = oldest.charged();
        reach = base.revision();
        first++;
        floor = first < next ? at(first).change().revision().previous() : reach;
    }

    private LoggedChange at(long sequence) {
        LoggedChange logged = ring[slot(sequence, ring.length)];
        if (logged == null) {
            throw new IllegalStateException("the log has lost change " + sequence);
        }
        return logged;
    }

    static int slot(long sequence, int capacity) {
        return (int) (sequence % capacity);
    }
}
