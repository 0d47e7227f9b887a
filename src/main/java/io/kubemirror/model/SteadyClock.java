package io.kubemirror.model;

import module java.base;

/**
 * The clock of ages, waits, and deadlines: it goes on evenly when the system's clock is set. Its
 * times differ from those of the system by how much that clock was set since the process began.
 * What is compared with times of other processes, such as dates of objects, certificates, and
 * files, is on the system's clock. Thread-safe, if both clocks are.
 */
public final class SteadyClock implements InstantSource {

    private final InstantSource steady;
    private final InstantSource system;

    /**
     * Creates a clock.
     *
     * @param steady a clock that is never set
     * @param system the system's clock
     */
    public SteadyClock(InstantSource steady, InstantSource system) {
        this.steady = steady;
        this.system = system;
    }

    /**
     * Returns a clock that begins with the time of the system.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    public static SteadyClock beginning(InstantSource system, LongSupplier nanos) {
        Instant start = system.instant();
        long begun = nanos.getAsLong();
        return new SteadyClock(() -> start.plusNanos(nanos.getAsLong() - begun), system);
    }

    @Override
    public Instant instant() {
        return steady.instant();
    }

    /** Returns the system's clock. */
    public InstantSource system() {
        return system;
    }

    /** Returns a time of this clock as the system's clock, as it is set now, has it. */
    public Instant toSystem(Instant time) {
        return time.plus(ahead());
    }

    /** Returns a time of the system's clock, as it is set now, as this clock has it. */
    public Instant fromSystem(Instant time) {
        return time.minus(ahead());
    }

    private Duration ahead() {
        return Duration.between(steady.instant(), system.instant());
    }
}
