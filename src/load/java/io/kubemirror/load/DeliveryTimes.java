package io.kubemirror.load;

import module java.base;

import org.HdrHistogram.Histogram;

/**
 * When events were written and when they arrived.
 *
 * <p>The time of a delivery runs from the answer to the write; what arrives before the answer took
 * no time. One thread receives, any thread writes.
 */
final class DeliveryTimes {

    /** A minute: nothing that is measured takes longer. */
    private static final long LONGEST = 60_000_000_000L;

    private final AtomicLongArray answered;
    private final long[] last;
    private final int[] counts;
    private final Histogram histogram = new Histogram(LONGEST, 3);
    private final LongAdder deliveries = new LongAdder();

    /** Of so many events. */
    DeliveryTimes(int events) {
        answered = new AtomicLongArray(events);
        last = new long[events];
        counts = new int[events];
    }

    /** The write of an event has been answered. */
    void answered(int event, long nanos) {
        answered.set(event, nanos);
    }

    /** An event has arrived at a watcher. */
    void received(int event, long nanos) {
        long begun = answered.get(event);
        histogram.recordValue(begun == 0 ? 0 : Math.clamp(nanos - begun, 0, LONGEST));
        counts[event]++;
        last[event] = nanos;
        deliveries.increment();
    }

    /** How many deliveries there have been; for any thread. */
    long deliveries() {
        return deliveries.sum();
    }

    /** How many watchers have got an event. */
    int count(int event) {
        return counts[event];
    }

    /** From the answer to the last receipt of an event, in nanoseconds. */
    long last(int event) {
        return Math.max(0, last[event] - answered.get(event));
    }

    /** When the last of all deliveries arrived. */
    long end() {
        long end = 0;
        for (long each : last) {
            end = Math.max(end, each);
        }
        return end;
    }

    /** The times of all deliveries in nanoseconds, once all have arrived. */
    Histogram times() {
        return histogram;
    }
}
