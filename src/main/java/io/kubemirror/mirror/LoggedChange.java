package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.LoggedChange.FrameCache.Frame;
import io.kubemirror.model.Change;
import io.kubemirror.model.MemoryBudget;

import org.jspecify.annotations.Nullable;

/**
 * A change in the event log, with its position, the state that it led to, and its encoded frames.
 */
public final class LoggedChange {

    /**
     * Some twenty tree nodes of the state after the change, at 40 bytes each, and the log's own
     * objects.
     */
    static final long OVERHEAD = 1_500L;

    /** The part of the overhead that is left for what a frame adds to the object. */
    private static final int FRAME = 500;

    private static final Frame[] NONE = {};

    private final long sequence;
    private final Change change;
    private final Snapshot after;
    private final long nanos;
    private final FrameCache cache;

    /**
     * The frame that is part of the cost. Two threads may replace each other's, which is then
     * encoded again on demand.
     */
    private volatile @Nullable Frame first;

    /** Further frames, in an array that is replaced like the first frame and never changed. */
    private volatile Frame[] others = NONE;

    LoggedChange(long sequence, Change change, Snapshot after, long nanos, FrameCache cache) {
        this.sequence = sequence;
        this.change = change;
        this.after = after;
        this.nanos = nanos;
        this.cache = cache;
    }

    /** Returns the change. */
    public Change change() {
        return change;
    }

    /**
     * Returns an encoded form of this change, created on first use and shared from then on, as long
     * as there is memory for it. If two threads ask for a new form at the same time, both may
     * encode it; the results are equal.
     *
     * @param form the form; equal forms have equal frames
     * @param encoder encodes the change
     */
    public byte[] frame(Object form, Supplier<byte[]> encoder) {
        byte[] found = frame(form);
        return found == null ? store(form, encoder.get()) : found;
    }

    /** Returns an encoded form of this change, null if there is none at present. */
    public byte @Nullable [] frame(Object form) {
        Frame one = first;
        byte[] found = one == null ? null : one.bytes(form);
        for (Frame frame : others) {
            found = found == null ? frame.bytes(form) : found;
        }
        return found;
    }

    private byte[] store(Object form, byte[] bytes) {
        Frame made = new Frame(form, bytes);
        if (first == null && bytes.length <= length(change) + FRAME) {
            first = made;
            return bytes;
        }
        cache.keep(made);
        others =
                Stream.concat(Arrays.stream(others), Stream.of(made))
                        .filter(frame -> !frame.isDropped())
                        .toArray(Frame[]::new);
        return bytes;
    }

    /** Returns the sequence number of the change, counted from the beginning of the log. */
    public long sequence() {
        return sequence;
    }

    /** Returns the collection right after this change. */
    Snapshot after() {
        return after;
    }

    /** Returns the time at which the change was logged, on the writer's monotonic clock. */
    public long nanos() {
        return nanos;
    }

    /**
     * Returns the number of bytes that only this change keeps reachable at the time it is logged.
     */
    long cost() {
        return cost(change);
    }

    /**
     * Returns the cost of a change: the state before it, one frame for clients, and a constant. The
     * state after it is in the store, or is the state before some later change.
     */
    static long cost(Change change) {
        return switch (change) {
            case Change.Added _ -> OVERHEAD + length(change);
            case Change.Modified modified ->
                    OVERHEAD + modified.previous().json().length + length(change);
            case Change.Deleted _ -> OVERHEAD + 2 * length(change);
        };
    }

    /** Returns the length of the object that a frame of the change contains. */
    private static long length(Change change) {
        return change.latest().json().length;
    }

    /**
     * The encoded frames of changes beyond the one that is part of the cost of each change.
     *
     * <p>They are charged to a part of the memory of all mirrors. A frame for which there is no
     * room replaces the oldest frames, because most clients read a change soon after it was logged.
     * Rejected: charging them to the history, which a client could then evict by asking for many
     * forms.
     *
     * <p>Safe for use by any thread. The queue hands each frame to the one thread that drops it, so
     * that none is released twice.
     */
    static final class FrameCache {

        private final MemoryBudget budget;
        private final Queue<Frame> frames = new ConcurrentLinkedQueue<>();

        /** Creates an empty cache of at most the limit of the budget. */
        FrameCache(MemoryBudget budget) {
            this.budget = budget;
        }

        /**
         * Keeps a frame as long as there is room for it; drops it at once if it alone does not fit.
         */
        void keep(Frame frame) {
            while (!budget.tryAcquire(frame.cost)) {
                if (frame.cost > budget.limit() || !dropOldest()) {
                    frame.bytes = null;
                    return;
                }
            }
            frames.add(frame);
        }

        /** Returns the memory of all frames, in bytes. */
        long used() {
            return budget.used();
        }

        /** Drops the oldest frame, and returns false if there is none. */
        boolean dropOldest() {
            Frame oldest = frames.poll();
            if (oldest == null) {
                return false;
            }
            oldest.bytes = null;
            budget.release(oldest.cost);
            return true;
        }

        /** An encoded form of a change, until it is dropped. */
        static final class Frame {

            /** The frame itself, its place in the queue, and its array at the change. */
            private static final int OVERHEAD = 120;

            private final Object form;
            private final long cost;

            /** Null once it is dropped. Volatile, because any thread drops and reads it. */
            private volatile byte @Nullable [] bytes;

            Frame(Object form, byte[] bytes) {
                this.form = form;
                this.bytes = bytes;
                this.cost = bytes.length + (long) OVERHEAD;
            }

            /** Returns the bytes if this is the given form and has not been dropped. */
            byte @Nullable [] bytes(Object wanted) {
                return form.equals(wanted) ? bytes : null;
            }

            boolean isDropped() {
                return bytes == null;
            }
        }
    }
}
