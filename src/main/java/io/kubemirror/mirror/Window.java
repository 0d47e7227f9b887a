package io.kubemirror.mirror;

import module java.base;

/**
 * How much history a mirror keeps (list-watch.md#hi-1).
 *
 * @param minimum the number of changes that is always kept, unless the byte budget is exceeded; at
 *     least 1
 * @param maximum the maximum number of changes
 * @param span the age up to which changes are kept, within the maximum
 * @param bytes the budget for what only the history keeps reachable: previous states, frames, and
 *     tree nodes
 */
public record Window(int minimum, int maximum, Duration span, long bytes) {

    /**
     * Counts of what happened to the history of a mirror: how often its capacity changed, and why
     * changes left it.
     *
     * <p>Written under the lock of the mirror's writer, one thread at a time, and read by any
     * thread. The writes are ordered but not atomic additions, so that an eviction, which most
     * changes of a busy mirror cause, costs no more than a write to memory.
     */
    public static final class WindowCounts {

        /** One counter for each event. The map itself never changes. */
        private final Map<WindowEvent, AtomicLong> counts = new EnumMap<>(WindowEvent.class);

        /** Creates counts of nothing. */
        WindowCounts() {
            for (WindowEvent event : WindowEvent.values()) {
                counts.put(event, new AtomicLong());
            }
        }

        /** What can happen to the history. */
        public enum WindowEvent {
            /** The capacity doubled, because the oldest change was younger than the span. */
            GROWN,
            /**
             * The capacity halved, because three quarters of the changes were older than the span.
             */
            SHRUNK,
            /** A change made room for another when it was older than the span. */
            EVICTED_AGE,
            /**
             * A change made room for another before its time, because the capacity is at its limit.
             */
            EVICTED_CAPACITY,
            /** A change left because the history of the mirror would exceed its own bytes. */
            EVICTED_BYTES,
            /** A change left because objects, or other mirrors, needed the shared memory. */
            EVICTED_MEMORY,
            /** A change left with all others, because the history started over. */
            EVICTED_RESET
        }

        /** Adds to a counter. Called under the lock of the writer only. */
        void add(WindowEvent event, long times) {
            AtomicLong count = count(event);
            count.setRelease(count.getPlain() + times);
        }

        /** Returns the value of a counter. */
        public long get(WindowEvent event) {
            return count(event).getAcquire();
        }

        private AtomicLong count(WindowEvent event) {
            return Objects.requireNonNull(counts.get(event));
        }
    }
}
