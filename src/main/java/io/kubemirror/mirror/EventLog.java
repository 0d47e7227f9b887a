package io.kubemirror.mirror;

import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The recent changes of a collection: a ring that grows while its oldest change is younger than the
 * window and shrinks when three quarters of it are older (list-watch.md#hi-1 to #hi-8).
 *
 * <p>Only the mirror's writer touches it, under its lock; readers get a {@link LogView} of it.
 * Changes are evicted by changes alone, so that a quiet collection can be resumed from long ago
 * (list-watch.md#hi-5), unless memory that all mirrors share is needed elsewhere ({@link
 * #shorten}).
 */
final class EventLog {

    /**
     * The slots of a ring that readers share. They read with acquire, and what they find has final
     * fields: two looks at a slot never go back to what was overwritten, which plain reads may.
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

    /** Forgets everything: the past now begins with a state (list-watch.md#hi-6). */
    void reset(Snapshot start) {
        ring = new @Nullable LoggedChange[window.minimum()];
        first = next;
        bytes = 0;
        floor = start.revision();
        reach = start.revision();
        base = start;
        baseCost = 0;
    }

    /** Adds a change, which must be later than every change before it. */
    void append(Change change, Snapshot after, long nanos) {
        LoggedChange logged = new LoggedChange(next, change, after, nanos);
        fit(nanos);
        bytes += logged.cost();
        fitBytes();
        SLOTS.setRelease(ring, slot(next, ring.length), logged);
        next++;
    }

    /**
     * Notes that the store has another object for a known one without a change. The past goes on
     * holding the known one, now all alone, and pays for it. Unpaid, every change of a collection
     * whose objects are updated all the time without readers being told could hold a copy of the
     * whole collection.
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

    /** Of the past only its first state is left. Readers need it not, as no change is lost. */
    private void forgetBase(Snapshot present) {
        base = present;
        baseCost = 0;
        bytes = 0;
    }

    /**
     * Evicts the oldest changes until so many bytes have become free or nothing is left.
     *
     * @param excess in bytes
     * @param present the collection now
     * @return how many bytes have become free
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

    /** What readers may see of the log now. */
    LogView recent() {
        return new LogView(ring, first, next, floor, reach, base);
    }

    /** The number of changes kept. */
    int size() {
        return (int) (next - first);
    }

    /** What the log keeps alive. */
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
