package io.kubemirror.reflector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A token bucket. Limits the burst and the long-term rate of an operation. Used by one thread. */
final class TokenBucket {

    private static final int LONGEST = 5;

    private final InstantSource clock;
    private final Duration interval;
    private final Duration reserve;

    /** The time when all tokens taken so far will have been refilled. */
    private Instant earned = Instant.MIN;

    /**
     * Creates a full bucket.
     *
     * @param clock the clock
     * @param atOnce the number of tokens in the full bucket
     * @param interval the time to refill one token
     */
    TokenBucket(InstantSource clock, int atOnce, Duration interval) {
        this.clock = clock;
        this.interval = interval;
        this.reserve = interval.multipliedBy(atOnce - 1L);
    }

    /**
     * Returns the wait until a token is available, zero for none; limited, as clocks may be set
     * back.
     */
    Duration untilNext() {
        Duration wait = Duration.between(clock.instant().plus(reserve), earned);
        Duration longest = interval.multipliedBy(LONGEST);
        return wait.isNegative() ? Duration.ZERO : wait.compareTo(longest) < 0 ? wait : longest;
    }

    /** Takes a token, even if none is available: the next wait is longer then. */
    void acquire() {
        Instant now = clock.instant();
        earned = (earned.isAfter(now) ? earned : now).plus(interval);
    }
}
