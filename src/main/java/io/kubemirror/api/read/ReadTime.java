package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.model.Revision;

/**
 * What a read waits for, and how long: all waits together take no longer than one. Confined to the
 * thread of the request.
 */
final class ReadTime {

    private final Revision min;
    private final Duration allotted;
    private final LongSupplier nanos;
    private final long begun;

    /**
     * Begins now.
     *
     * @param min a revision that a present state must not be before, 0 for any
     * @param allotted the maximum duration of the request
     * @param nanos a monotonic clock in nanoseconds
     */
    ReadTime(Revision min, Duration allotted, LongSupplier nanos) {
        this.min = min;
        this.allotted = allotted;
        this.nanos = nanos;
        this.begun = nanos.getAsLong();
    }

    /** Returns the revision that a present state must not be before. */
    Revision min() {
        return min;
    }

    /** Returns the maximum duration of the request. */
    Duration allotted() {
        return allotted;
    }

    /**
     * Returns what is left of a time since the beginning, at most the duration of the request.
     *
     * @param longest the time that the first wait may take
     */
    Duration left(Duration longest) {
        Duration most = longest.compareTo(allotted) < 0 ? longest : allotted;
        Duration left = most.minusNanos(nanos.getAsLong() - begun);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
