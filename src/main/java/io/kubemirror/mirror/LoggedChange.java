package io.kubemirror.mirror;

import io.kubemirror.model.Change;

import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * A change in the event log, with its position, the state that it led to, and its encoded frames.
 */
public final class LoggedChange {

    /**
     * Some twenty tree nodes of the state after the change, at 40 bytes each, and the log's own
     * objects.
     */
    static final long OVERHEAD = 1_500L;

    private final long sequence;
    private final Change change;
    private final Snapshot after;
    private final long nanos;
    private long charged;

    /**
     * Immutable. Two threads may overwrite each other's frame, which is then encoded again on
     * demand.
     */
    private volatile @Nullable Frame frames;

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
     * Returns an encoded form of this change, created on first use and shared from then on. If two
     * threads ask for a new form at the same time, both may encode it; the results are equal.
     *
     * @param form the form; equal forms have equal frames
     * @param encoder encodes the change
     */
    public byte[] frame(Object form, Supplier<byte[]> encoder) {
        Frame made = frames;
        for (Frame frame = made; frame != null; frame = frame.others()) {
            if (frame.form().equals(form)) {
                return frame.bytes();
            }
        }
        byte[] bytes = encoder.get();
        frames = new Frame(form, bytes, made);
        return bytes;
    }

    /**
     * One encoded form and those created before it. There are so few that a chain is smaller and
     * faster than a map.
     */
    private record Frame(
            Object form,
            @SuppressWarnings("ArrayRecordComponent") byte[] bytes,
            @Nullable Frame others) {}

    /** Returns the sequence number of the change, counted from the beginning of the log. */
    long sequence() {
        return sequence;
    }

    /** Returns the collection right after this change. */
    Snapshot after() {
        return after;
    }

    /** Returns the time at which the change was logged, on the writer's monotonic clock. */
    long nanos() {
        return nanos;
    }

    /**
     * Returns the number of bytes that only this change keeps reachable at the time it is logged.
     */
    long cost() {
        return cost(change);
    }

    /**
     * Adds bytes that became reachable only from the state after this change. For the writer only.
     */
    void charge(long bytes) {
        charged += bytes;
    }

    /** Returns the bytes added to the cost since the change was logged. For the writer only. */
    long charged() {
        return charged;
    }

    /**
     * Returns the cost of a change: the state before it, one frame for clients, and a constant. The
     * state after it is in the store, or is the state before some later change.
     */
    static long cost(Change change) {
        return switch (change) {
            case Change.Added added -> OVERHEAD + added.object().json().length;
            case Change.Modified modified ->
                    OVERHEAD + modified.previous().json().length + modified.object().json().length;
            case Change.Deleted deleted -> OVERHEAD + 2L * deleted.previous().json().length;
        };
    }
}
