package io.kubemirror.reflector;

import io.kubemirror.upstream.Failure;

import java.time.Duration;
import java.time.Instant;

/**
 * The failures since the last progress, which determine how long to wait.
 *
 * <p>Progress is a complete list, an event, or a bookmark; an accepted connection is none. Used by
 * one thread.
 */
final class RetryState {

    /**
     * The number of failures at one revision after which the revision itself is suspect
     * (list-watch.md#bo-5).
     */
    private static final int TOLERATED = 5;

    /**
     * The number of times that the server's retry advice is followed before its refusal counts as a
     * failure (list-watch.md#bo-8).
     */
    private static final int OBEYED = 10;

    /** The maximum retry advice that is followed. */
    private static final Duration LONGEST_ADVICE = Duration.ofMinutes(1);

    /**
     * A server without internal errors for this long gets the full time again
     * (list-watch.md#up-38).
     */
    private static final Duration RECOVERY = Duration.ofMinutes(1);

    /**
     * The random delay after a first 410, only so that many clients do not list at the same time.
     */
    private static final Duration SOON = Duration.ofMillis(400);

    /**
     * The time over which the clients of a server that returned are spread, doubled each time it
     * fails again.
     */
    private static final Duration SPREAD = Duration.ofMillis(500);

    private static final int MOST_RELAPSES = 6;

    /** A watch that lasted this long shows that the server can serve its clients. */
    private static final Duration WELL = Duration.ofSeconds(10);

    private final Backoff answers;
    private final Backoff connections;
    private final Duration internalErrors;
    private Instant lastUnreached = Instant.MIN;
    private Instant firstInternalError = Instant.MIN;
    private Instant lastInternalError = Instant.MIN;
    private int failures;
    private int obeyed;
    private int expirations;
    private boolean doubtful;

    /** Whether there was progress since the last outage began. */
    private boolean progressed;

    /** The number of times the server returned without any progress since. */
    private int returns;

    /**
     * Creates a state without failures.
     *
     * @param answers the waits after answers of the server
     * @param connections the maximum waits after the server was unreachable
     * @param internalErrors how long internal errors in a stream are tolerated
     *     (list-watch.md#up-38)
     */
    RetryState(Backoff answers, Backoff connections, Duration internalErrors) {
        this.answers = answers;
        this.connections = connections;
        this.internalErrors = internalErrors;
    }

    /**
     * Records that no server accepted a connection at the address: the next one to do so may be a
     * different server.
     */
    void connectionRefused() {
        doubtful = true;
    }

    /**
     * Records that the server accepts connections again after it did not: it may be a different
     * server.
     *
     * @return how long to wait before the next request: zero, unless the server failed again since
     *     it was last followed, perhaps because all its clients came at once; then they are spread
     *     over an ever longer time
     */
    Duration serverReturned() {
        doubtful = true;
        int relapses = Math.min(returns, MOST_RELAPSES);
        returns++;
        return relapses == 0 ? Duration.ZERO : answers.upTo(SPREAD.multipliedBy(1L << relapses));
    }

    /**
     * Records how long a watch lasted. A long watch shows that the server works even if there was
     * no event.
     */
    void watched(Duration time) {
        if (time.compareTo(WELL) >= 0) {
            wasWell();
        }
    }

    private void wasWell() {
        progressed = true;
        returns = 0;
    }

    /** Returns whether the server may be older than when the mirror last followed it. */
    boolean isDoubtful() {
        return doubtful;
    }

    /** Records that the server's revision was verified. */
    void confirmed() {
        doubtful = false;
    }

    /** Clears the failures, but not how long the last waits were (list-watch.md#bo-2). */
    void progress() {
        wasWell();
        failures = 0;
        obeyed = 0;
        expirations = 0;
    }

    /**
     * Clears the failures after a complete list, but not that the revision was expired: if it
     * expires right after every list, lists must not follow each other without pause.
     */
    void listed() {
        doubtful = false;
        wasWell();
        failures = 0;
        obeyed = 0;
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
     * revision, so it does not count as a failure at it.
     *
     * @param contact when the server last answered
     */
    Duration unreached(Failure.Unreachable failure, Instant contact, Instant now) {
        if (contact.isAfter(lastUnreached)) {
            outageBegins();
        }
        lastUnreached = now;
        failures += failure.refused() ? 0 : 1;
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

    /** Returns the wait after a failure, at least as long as the server asks for. */
    Duration failed(Failure failure) {
        int advice =
                failure instanceof Failure.Refused refused
                        ? refused.status().retryAfterSeconds()
                        : 0;
        if (advice > 0 && obeyed < OBEYED) {
            return obeyed(Duration.ofSeconds(advice));
        }
        return failed();
    }

    /**
     * Returns once to twice the advised wait, since all refused clients got the same advice.
     * Doubled once if it did not help, as the server does not know how many clients it has.
     */
    private Duration obeyed(Duration advice) {
        Duration doubled = advice.multipliedBy(obeyed == 0 ? 1 : 2);
        obeyed++;
        Duration wait = doubled.compareTo(LONGEST_ADVICE) < 0 ? doubled : LONGEST_ADVICE;
        return wait.plus(answers.upTo(wait));
    }

    /**
     * Returns the wait after an expired revision. The first wait only spreads clients: the answer
     * proves that the server works again, so its earlier failures do not count.
     */
    Duration expired() {
        expirations++;
        return expirations == 1 ? answers.upTo(SOON) : failed();
    }

    /**
     * Returns whether the stream may continue at its revision after an internal error. After some
     * time only a list can recover (list-watch.md#up-38).
     */
    boolean toleratesInternalError(Instant now) {
        if (lastInternalError.isBefore(now.minus(RECOVERY))) {
            firstInternalError = now;
        }
        lastInternalError = now;
        return now.isBefore(firstInternalError.plus(internalErrors));
    }

    /**
     * Returns whether, including the present failure, there were so many failures that the most
     * recent state must be requested without a revision (list-watch.md#bo-5).
     */
    boolean tooMany() {
        return failures + 1 >= TOLERATED;
    }
}
