package io.kubemirror.reflector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * The wait after a failure: 0.8 s, doubled each time up to 30 s, and randomized up to twice that
 * (list-watch.md#bo-1).
 *
 * <p>A success alone does not reset the wait: a server that accepts every connection and drops it
 * at once would get requests without pause. Only two minutes without a wait reset it
 * (list-watch.md#bo-2), and {@link #restart}. Used by one thread.
 */
final class Backoff {

    private static final Duration FIRST = Duration.ofMillis(800);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration HEALTHY = Duration.ofMinutes(2);

    private final InstantSource clock;
    private final RandomGenerator random;
    private Duration step = FIRST;
    private Instant lastWaitEnded = Instant.MIN;

    Backoff(ReflectorEnvironment environment) {
        this.clock = environment.clock();
        this.random = environment.random();
    }

    /** Returns the next wait, which counts as if it began now. */
    Duration next() {
        Instant now = clock.instant();
        if (lastWaitEnded.isBefore(now.minus(HEALTHY))) {
            step = FIRST;
        }
        Duration wait = scattered(step);
        lastWaitEnded = now.plus(wait);
        step = step.multipliedBy(2).compareTo(LONGEST) < 0 ? step.multipliedBy(2) : LONGEST;
        return wait;
    }

    /** Resets the next wait to that of a first failure. */
    void restart() {
        step = FIRST;
    }

    /** Returns a random wait that does not affect later waits. */
    Duration upTo(Duration longest) {
        return Duration.ofMillis(random.nextLong(longest.toMillis()));
    }

    private Duration scattered(Duration base) {
        return base.plusMillis(random.nextLong(base.toMillis()));
    }
}
