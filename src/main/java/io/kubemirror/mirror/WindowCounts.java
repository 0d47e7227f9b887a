package io.kubemirror.mirror;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The capacity of the history of a mirror, and counts of what happened to it: how often the
 * capacity changed, and why changes left the history.
 *
 * <p>Written under the lock of the mirror's writer, one thread at a time, and read by any thread.
 * The writes are ordered but not atomic additions, so that an eviction, which most changes of a
 * busy mirror cause, costs no more than a write to memory.
 */
public final class WindowCounts {

    /** One counter for each event. The map itself never changes. */
    private final Map<WindowEvent, AtomicLong> counts = new EnumMap<>(WindowEvent.class);

    private volatile int capacity;

    /** Creates counts of nothing. */
    WindowCounts(int capacity) {
        this.capacity = capacity;
        for (WindowEvent event : WindowEvent.values()) {
            counts.put(event, new AtomicLong());
        }
    }

    /** What can happen to the history. */
    public enum WindowEvent {
        /** The capacity doubled, because the oldest change was younger than the span. */
        GROWN,
        /** The capacity halved, because three quarters of the changes were older than the span. */
        SHRUNK,
        /** A change made room for another when it was older than the span. */
        EVICTED_AGE,
        /** A change made room for another before its time, because the capacity is at its limit. */
        EVICTED_CAPACITY,
        /** A change left because the history of the mirror would exceed its own bytes. */
        EVICTED_BYTES,
        /** A change left because objects, or other mirrors, needed the shared memory. */
        EVICTED_MEMORY,
        /** A change left a union, because the mirror that it came from has evicted it. */
        EVICTED_MEMBER,
        /** A change left with all others, because the history started over. */
        EVICTED_RESET
    }

    /** Adds to a counter. Called under the lock of the writer only. */
    void add(WindowEvent event, long times) {
        AtomicLong count = count(event);
        count.setRelease(count.getPlain() + times);
    }

    /** Records another capacity. Called under the lock of the writer only. */
    void resized(int changes) {
        add(changes > capacity ? WindowEvent.GROWN : WindowEvent.SHRUNK, 1);
        capacity = changes;
    }

    /** Records that the history started over. Called under the lock of the writer only. */
    void reset(int evicted, int minimum) {
        add(WindowEvent.EVICTED_RESET, evicted);
        capacity = minimum;
    }

    /** Returns the number of changes that the history has room for at present. */
    public int capacity() {
        return capacity;
    }

    /** Returns the value of a counter. */
    public long get(WindowEvent event) {
        return count(event).getAcquire();
    }

    private AtomicLong count(WindowEvent event) {
        return Objects.requireNonNull(counts.get(event));
    }
}
