package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Change;

import org.jspecify.annotations.Nullable;

/** A change in the event log, with its position, the state that it led to, and an encoded frame. */
public final class LoggedChange {

    /**
     * Some twenty tree nodes of the state after the change, at 40 bytes each, and the log's own
     * objects.
     */
    static final long OVERHEAD = 1_500L;

    /** The part of the overhead that is left for what a frame adds to the object. */
    private static final int FRAME = 500;

    private final long sequence;
    private final Change change;
    private final Snapshot after;
    private final long nanos;

    /**
     * The frame that is part of the cost. Two threads may replace each other's, which is then
     * encoded again on demand.
     */
    private volatile @Nullable Frame frame;

    LoggedChange(long sequence, Change change, Snapshot after, long nanos) {
        this.sequence = sequence;
        this.change = change;
        this.after = after;
        this.nanos = nanos;
    }

    /** Returns the change. */
    public Change change() {
        return change;
    }

    /**
     * Returns an encoded form of this change. The last form that was made is kept for the next
     * clients, unless it is much larger than the object. If two threads ask for a new form at the
     * same time, both may encode it; the results are equal.
     *
     * @param form the form; equal forms have equal frames
     * @param encoder encodes the change
     */
    public byte[] frame(Object form, Supplier<byte[]> encoder) {
        Frame kept = frame;
        if (kept != null && kept.form().equals(form)) {
            return kept.bytes();
        }
        byte[] bytes = encoder.get();
        if (bytes.length <= length(change) + FRAME) {
            frame = new Frame(form, bytes);
        }
        return bytes;
    }

    /** Returns the sequence number of the change, counted from the beginning of the log. */
    public long sequence() {
        return sequence;
    }

    /** Returns the collection right after this change. */
    public Snapshot after() {
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

    /** An encoded form of a change. Immutable. */
    private record Frame(Object form, @SuppressWarnings("ArrayRecordComponent") byte[] bytes) {}
}
