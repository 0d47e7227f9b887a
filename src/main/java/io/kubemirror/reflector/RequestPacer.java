package io.kubemirror.reflector;

import module java.base;

/**
 * Limits the rate of an operation of a reflector, whatever the server does. It applies in addition
 * to backoff, which successes reset (list-watch.md#bo-4). Used by one thread.
 */
final class RequestPacer {

    private final InstantSource clock;
    private final Duration interval;
    private final Duration reserve;

    /** The time when all permits taken so far will have been earned. */
    private Instant earned = Instant.MIN;

    private RequestPacer(InstantSource clock, int atOnce, Duration interval) {
        this.clock = clock;
        this.interval = interval;
        this.reserve = interval.multipliedBy(atOnce - 1L);
    }

    /**
     * Returns a pacer of lists: fewer than sixty in any minute. One synchronization may need three
     * at once: a refused stream, an expired list, and a full list.
     */
    static RequestPacer ofLists(InstantSource clock) {
        return new RequestPacer(clock, 3, Duration.ofMillis(1200));
    }

    /**
     * Returns a pacer of watches. Those that the server ends repeatedly, each after an event, are
     * reopened at once ten times, then once a second.
     */
    static RequestPacer ofWatches(InstantSource clock) {
        return new RequestPacer(clock, 10, Duration.ofSeconds(1));
    }

    /** Returns the wait before the next operation, zero for none. */
    Duration untilNext() {
        Duration wait = Duration.between(clock.instant().plus(reserve), earned);
        return wait.isPositive() ? wait : Duration.ZERO;
    }

    /** Records an operation, even if it comes too early: the next wait is longer then. */
    void begin() {
        Instant now = clock.instant();
        earned = (earned.isAfter(now) ? earned : now).plus(interval);
    }
}
