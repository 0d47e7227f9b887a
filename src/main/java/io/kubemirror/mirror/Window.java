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
     * <p>Safe for use by any thread.
     */
    public static final class WindowCounts {

        /** One for each event, created at once: most changes of a busy mirror cause an eviction. */
        private final Map<WindowEvent, LongAdder> counts =
                Stream.of(WindowEvent.values())
                        .collect(Collectors.toUnmodifiableMap(one -> one, _ -> new LongAdder()));

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

        /** Adds to a counter. */
        void add(WindowEvent event, long times) {
            Objects.requireNonNull(counts.get(event)).add(times);
        }

        /** Returns the value of a counter. */
        public long get(WindowEvent event) {
            return Objects.requireNonNull(counts.get(event)).sum();
        }
    }
}
