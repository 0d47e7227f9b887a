package io.kubemirror.mirror;

import io.kubemirror.model.Change;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * A change as the event log keeps it: with its place, the state it led to, and what was made of it
 * for clients.
 */
public final class LoggedChange {

    /** Some twenty tree nodes of the state after, at 40 bytes each, and the log's own objects. */
    static final long OVERHEAD = 1_500L;

    private final long sequence;
    private final Change change;
    private final Snapshot after;
    private final long nanos;
    private long charged;

    /** Immutable; two threads may lose each other's form, which is made again when it is wanted. */
    private volatile @Nullable Frame frames;

    LoggedChange(long sequence, Change change, Snapshot after, long nanos) {
        this.sequence = sequence;
        this.change = change;
        this.after = after;
        this.nanos = nanos;
    }

    /** The change. */
    public Change change() {
        return change;
    }

    /**
     * A form of this change for the wire, made on first use and shared from then on (design rule
     * 4). When two threads ask for a new form at the same moment, both may make it; the results are
     * equal.
     *
     * @param form which form; equal ones are the same
     * @param encoder makes it
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
     * One form and the others made before it; there are so few that a chain is smaller and faster
     * than a map.
     */
    private record Frame(
            Object form,
            @SuppressWarnings("ArrayRecordComponent") byte[] bytes,
            @Nullable Frame others) {}

    /** Its place in the log, counted from the log's beginning. */
    long sequence() {
        return sequence;
    }

    /** The collection right after this change. */
    Snapshot after() {
        return after;
    }

    /**
     * How long ago it was logged.
     *
     * @param now the time on the writer's monotonic clock
     */
    Duration age(long now) {
        return Duration.ofNanos(Math.max(0, now - nanos));
    }

    /** When it was logged, on the writer's monotonic clock. */
    long nanos() {
        return nanos;
    }

    /** How many bytes live only because the log holds this change, when it is logged. */
    long cost() {
        return cost(change);
    }

    /** Adds what has come to live only because of the state after; for the writer alone. */
    void charge(long bytes) {
        charged += bytes;
    }

    /** What was added to the cost since it was logged; for the writer alone. */
    long charged() {
        return charged;
    }

    /**
     * What a change will cost: the state before it, one frame for clients, and what every change
     * needs. The state after it is in the store, or is some later change's state before.
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
