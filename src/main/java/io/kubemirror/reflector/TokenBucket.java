package io.kubemirror.reflector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A right to do something so often at once and so often in the long run. Used by one thread. */
final class TokenBucket {

    private static final int LONGEST = 5;

    private final InstantSource clock;
    private final Duration interval;
    private final Duration reserve;

    /** When everything drawn so far will have been earned. */
    private Instant earned = Instant.MIN;

    /**
     * An allowance of which nothing has been drawn.
     *
     * @param clock tells the time
     * @param atOnce how often without a pause
     * @param interval how often in the long run
     */
    TokenBucket(InstantSource clock, int atOnce, Duration interval) {
        this.clock = clock;
        this.interval = interval;
        this.reserve = interval.multipliedBy(atOnce - 1L);
    }

    /**
     * How long to wait before the next time, zero for not at all; never very long, as clocks may be
     * set back.
     */
    Duration untilNext() {
        Duration wait = Duration.between(clock.instant().plus(reserve), earned);
        Duration longest = interval.multipliedBy(LONGEST);
        return wait.isNegative() ? Duration.ZERO : wait.compareTo(longest) < 0 ? wait : longest;
    }

    /** Draws once, even if it is not due: the next waits for longer then. */
    void acquire() {
        Instant now = clock.instant();
        earned = (earned.isAfter(now) ? earned : now).plus(interval);
    }
}
