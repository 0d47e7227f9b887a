package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.reflector.ReflectorSettings.RetrySettings;
import io.kubemirror.source.Failure;

/**
 * The failures since the last progress, which determine how long to wait.
 *
 * <p>Progress is a complete list, an event, or a bookmark; an accepted connection is none. Used by
 * one thread.
 */
final class RetryState {

    /**
     * The number of times that the server's retry advice is followed before its refusal counts as a
     * failure (list-watch.md#bo-8).
     */
    private static final int OBEYED = 10;

    /** The maximum retry advice that is followed. */
    private static final Duration MAX_ADVICE = Duration.ofMinutes(1);

    /**
     * The random delay after a first 410, only so that many clients do not list at the same time.
     */
    private static final Duration SOON = Duration.ofMillis(400);

    /**
     * The time over which the clients of a server that returned are spread, doubled each time it
     * fails again.
     */
    private static final Duration SPREAD = Duration.ofMillis(500);

    private static final int MAX_RELAPSES = 6;

    /** A watch that lasted this long shows that the server can serve its clients. */
    private static final Duration WELL = Duration.ofSeconds(10);

    /** A watch that ends sooner and without a frame counts as a failure. */
    private static final Duration VERY_SHORT = Duration.ofSeconds(1);

    /** The end of a mirror takes milliseconds, and several may have to end. */
    private static final Duration MEMORY = Duration.ofMillis(200);

    /** The wait before another attempt at a collection that is too large. */
    private static final Duration TOO_LARGE = Duration.ofMinutes(5);

    /** The fraction by which rare waits are extended at random. */
    private static final double SCATTER = 0.2;

    private final InstantSource clock;
    private final RandomGenerator random;

    /** The waits after answers of the server. */
    private final Backoff answers;

    /** The maximum waits after the server was unreachable. */
    private final Backoff connections;

    private final RetrySettings settings;
    private Instant lastUnreached = Instant.MIN;
    private int failures;
    private int obeyed;
    private int expirations;
    private boolean doubtful;

    /** Whether there was progress since the last outage began. */
    private boolean progressed;

    /** The number of times the server returned without any progress since. */
    private int returns;

    /** Creates a state without failures. */
    RetryState(InstantSource clock, RandomGenerator random, RetrySettings settings) {
        this.clock = clock;
        this.random = random;
        this.settings = settings;
        this.answers = new Backoff();
        this.connections = new Backoff();
    }

    /**
     * Records that the server accepts connections again after it did not.
     *
     * @return how long to wait before the next request: zero, unless the server failed again since
     *     it was last followed, perhaps because all its clients came at once; then they are spread
     *     over an ever longer time
     */
    Duration serverReturned() {
        int relapses = Math.min(returns, MAX_RELAPSES);
        returns++;
        return relapses == 0 ? Duration.ZERO : upTo(SPREAD.multipliedBy(1L << relapses));
    }

    /**
     * Returns whether nothing has worked since the server seemed to return, a few times at most.
     */
    boolean isRelapse() {
        return returns > 0 && returns < MAX_RELAPSES;
    }

    /**
     * Records that a watch ended. A long watch shows that the server works even if there was no
     * event.
     */
    void watched(Instant opened) {
        if (!clock.instant().isBefore(opened.plus(WELL))) {
            worked();
        }
    }

    /** Returns whether a watch that ends now was so short that its end is a failure. */
    boolean isVeryShort(Instant opened) {
        return clock.instant().isBefore(opened.plus(VERY_SHORT));
    }

    private void worked() {
        progressed = true;
        returns = 0;
    }

    /** Returns whether the server may be older than when the mirror last followed it. */
    boolean isDoubtful() {
        return doubtful;
    }

    /** Records that the server may be another one than the mirror has followed. */
    void doubt() {
        doubtful = true;
    }

    /** Records that the server's revision was verified. */
    void confirmed() {
        doubtful = false;
    }

    /** Clears the failures, but not how long the last waits were (list-watch.md#bo-1). */
    void progress() {
        succeeded();
        expirations = 0;
    }

    private void succeeded() {
        worked();
        failures = 0;
        obeyed = 0;
    }

    /**
     * Clears the failures after a complete list, but not that the revision was expired: if it
     * expires right after every list, lists must not follow each other without pause.
     */
    void listed() {
        doubtful = false;
        succeeded();
    }

    /** Returns whether something has failed since the last progress. */
    boolean repeated() {
        return failures > 0;
    }

    /** Returns the wait after a failure, or after the end of a stream without events. */
    Duration failed() {
        failures++;
        return answers.next();
    }

    /**
     * Returns the wait before the next connection. A failure to connect says nothing about the
     * revision, so it does not count as a failure at it. If no server accepted a connection, the
     * next one to do so may be a different server.
     *
     * @param answer when the server last answered
     */
    Duration unreached(Failure.Unreachable failure, Instant answer) {
        if (answer.isAfter(lastUnreached)) {
            outageBegins();
        }
        lastUnreached = clock.instant();
        // A server that stops may break a connection instead of refusing it.
        doubtful = true;
        if (!failure.refused()) {
            failures++;
        }
        return connections.next();
    }

    /**
     * Failures before an outage do not count after it, unless the mirror made no progress at all:
     * then the server fails repeatedly, and requests become ever less frequent.
     */
    private void outageBegins() {
        connections.restart();
        if (progressed) {
            progressed = false;
            answers.restart();
            obeyed = 0;
            expirations = 0;
        }
    }

    /** Returns whether a failure has retry advice that is still followed. */
    boolean obeys(Failure.Refused failure) {
        return failure.status().retryAfterSeconds() > 0 && obeyed < OBEYED;
    }

    /**
     * Returns the wait after a failure, at least as long as the server asks for: once to twice the
     * advised wait, since all refused clients got the same advice. Doubled once if it did not help,
     * as the server does not know how many clients it has.
     */
    Duration failed(Failure.Refused failure) {
        if (!obeys(failure)) {
            return failed();
        }
        Duration advice = Duration.ofSeconds(failure.status().retryAfterSeconds());
        Duration wait =
                Collections.min(List.of(MAX_ADVICE, advice.multipliedBy(obeyed == 0 ? 1 : 2)));
        obeyed++;
        return wait.plus(upTo(wait));
    }

    /**
     * Returns the wait after an expired revision. The first wait only spreads clients: the answer
     * proves that the server works again, so its earlier failures do not count.
     */
    Duration expired() {
        expirations++;
        return expirations == 1 ? upTo(SOON) : failed();
    }

    /**
     * Returns whether, including the present failure, there were so many failures that the most
     * recent state must be requested without a revision (list-watch.md#bo-5).
     */
    boolean tooMany() {
        return failures + 1 >= settings.maxErrorsPerRevision();
    }

    /** Returns the wait before another attempt at a collection that does not fit. */
    Duration tooLarge() {
        return scattered(TOO_LARGE, random);
    }

    /** Returns the wait before another attempt when another mirror is ending for its memory. */
    Duration memoryReturned() {
        return scattered(MEMORY, random);
    }

    /** Extends a wait by up to a fifth, so that the waits of many reflectors spread out. */
    static Duration scattered(Duration wait, RandomGenerator random) {
        return wait.plusMillis((long) (wait.toMillis() * random.nextDouble(SCATTER)));
    }

    /** Returns a random wait that does not affect later waits. */
    private Duration upTo(Duration longest) {
        return Duration.ofMillis(random.nextLong(longest.toMillis()));
    }

    /**
     * The wait after a failure: the base delay, doubled each time up to the maximum, and randomized
     * up to twice that (list-watch.md#bo-1).
     *
     * <p>A success alone does not reset the wait: a server that accepts every connection and drops
     * it at once would get requests without pause. Only some time without a wait resets it
     * (list-watch.md#bo-1), and {@link #restart}.
     */
    private final class Backoff {

        private Duration step = settings.baseDelay();
        private Instant lastWaitEnded = Instant.MIN;

        /** Returns the next wait, which counts as if it began now. */
        Duration next() {
            Instant now = clock.instant();
            if (lastWaitEnded.isBefore(now.minus(settings.resetAfter()))) {
                restart();
            }
            Duration wait = step.plus(upTo(step));
            lastWaitEnded = now.plus(wait);
            step = Collections.min(List.of(settings.maxDelay(), step.multipliedBy(2)));
            return wait;
        }

        /** Resets the next wait to that of a first failure. */
        void restart() {
            step = settings.baseDelay();
        }
    }
}
