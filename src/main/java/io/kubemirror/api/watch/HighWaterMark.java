package io.kubemirror.api.watch;

import module java.base;

/**
 * The largest recent value of something that changes faster than metrics are scraped, so that a
 * burst between two scrapes is visible.
 *
 * <p>Every scraper that reads at least once in {@link #PERIOD} sees every value, because reading
 * takes nothing away from other scrapers. A single scraper sees every value at any interval. A
 * value is forgotten after two periods, at the first read thereafter.
 *
 * <p>Recording costs one volatile read, and an atomic maximum only when the value is the largest so
 * far. It reads no clock: the reader's clock ends the periods. Thread-safe.
 *
 * <p>Rejected: Micrometer's {@code TimeWindowMax}, which reads the clock for each value and forgets
 * values that were never scraped; and a maximum that each read resets, which one scraper would take
 * from another.
 */
public final class HighWaterMark {

    /** The time for which a value is visible at least, and the longest interval of scrapers. */
    public static final Duration PERIOD = Duration.ofMinutes(2);

    /**
     * The largest value since the last period ended. A recorder that compares its value with the
     * maximum of the period that just ends leaves it out only if that maximum is not smaller, and
     * that maximum is visible for another period.
     */
    private final AtomicLong highest = new AtomicLong();

    /** The largest value of the last period. Guarded by the monitor of this mark. */
    private long previous;

    /** The time at which the last period ended. Guarded by the monitor of this mark. */
    private long ended;

    /** Whether a period has begun, which the first read does. Guarded by the same monitor. */
    private boolean begun;

    /** Records a value; negative values are ignored. */
    public void record(long value) {
        if (value > highest.get()) {
            highest.accumulateAndGet(value, Math::max);
        }
    }

    /**
     * Returns the largest recent value.
     *
     * @param present the present value, which counts too; a value that does not change is not
     *     recorded again
     * @param nanos the time now, on a monotonic clock that is the same for all calls, such as
     *     {@link System#nanoTime}; may be negative
     */
    public synchronized long get(long present, long nanos) {
        record(present);
        if (!begun) {
            begun = true;
            ended = nanos;
        }
        if (nanos - ended >= PERIOD.toNanos()) {
            previous = highest.getAndSet(Math.max(0, present));
            ended = nanos;
        }
        return Math.max(previous, highest.get());
    }
}
