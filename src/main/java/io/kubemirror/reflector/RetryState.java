package io.kubemirror.reflector;

import io.kubemirror.upstream.Failure;

import java.time.Duration;
import java.time.Instant;

/**
 * What went wrong since the last progress, and how long to wait because of it.
 *
 * <p>Progress is a complete list, an event or a bookmark; an accepted connection is none. Used by
 * one thread.
 */
final class RetryState {

    /** So many failures at one revision make the revision itself suspect (list-watch.md#bo-5). */
    private static final int TOLERATED = 5;

    /**
     * So often the server's own advice is followed before its refusal counts as a failure
     * (list-watch.md#bo-8).
     */
    private static final int OBEYED = 10;

    /** No server knows for longer when it will be well again. */
    private static final Duration LONGEST_ADVICE = Duration.ofMinutes(1);

    /** A server that was well for so long is given the whole time again (list-watch.md#up-38). */
    private static final Duration RECOVERY = Duration.ofMinutes(1);

    /** A first 410 is put off only so that many clients do not ask together. */
    private static final Duration SOON = Duration.ofMillis(400);

    /** Doubled with each relapse of the server, the time over which its clients come back. */
    private static final Duration SPREAD = Duration.ofMillis(500);

    private static final int MOST_RELAPSES = 6;

    /** A watch that lasted for so long shows that the server bears its clients. */
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

    /** How often the server came back without any progress since. */
    private int returns;

    /**
     * No setbacks yet.
     *
     * @param answers how long to wait after what the server answered
     * @param connections how long to wait at most after the server could not be reached
     * @param internalErrors how long internal errors in a stream are put up with
     *     (list-watch.md#up-38)
     */
    RetryState(Backoff answers, Backoff connections, Duration internalErrors) {
        this.answers = answers;
        this.connections = connections;
        this.internalErrors = internalErrors;
    }

    /** Nobody listened at the server's address: whoever does next may be another. */
    void connectionRefused() {
        doubtful = true;
    }

    /**
     * The server accepts connections again after it did not: it may be another.
     *
     * @return how long to wait before it is asked anything: not at all, unless it fell over again
     *     since it was last followed, perhaps because all its clients came at once; then they come
     *     over an ever longer time
     */
    Duration serverReturned() {
        doubtful = true;
        int relapses = Math.min(returns, MOST_RELAPSES);
        returns++;
        return relapses == 0 ? Duration.ZERO : answers.upTo(SPREAD.multipliedBy(1L << relapses));
    }

    /** A watch lasted for some time, so that the server is well even if nothing happened. */
    void watched(Duration time) {
        if (time.compareTo(WELL) >= 0) {
            wasWell();
        }
    }

    private void wasWell() {
        progressed = true;
        returns = 0;
    }

    /** Whether the server may have gone back since the mirror last followed it. */
    boolean isDoubtful() {
        return doubtful;
    }

    /** The server has been asked. */
    void confirmed() {
        doubtful = false;
    }

    /** Forgets the failures, though not how long the last waits were (list-watch.md#bo-2). */
    void progress() {
        wasWell();
        failures = 0;
        obeyed = 0;
        expirations = 0;
    }

    /**
     * Forgets the failures after a complete list, but not that the revision was gone: one that
     * expires right after every list must not be listed without pause.
     */
    void listed() {
        doubtful = false;
        wasWell();
        failures = 0;
        obeyed = 0;
    }

    /** Whether something has failed already since the last progress. */
    boolean repeated() {
        return failures > 0;
    }

    /** Waits before going on, because of a failure or the end of a stream that brought nothing. */
    Duration failed() {
        failures++;
        return answers.next();
    }

    /**
     * Waits before connecting again. That no connection came about says nothing about the revision,
     * so that it is no failure at it.
     *
     * @param contact when the server was last heard of
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
     * What was answered before an outage does not count after it, unless the mirror made no
     * progress at all: then the server falls over again and again, and is asked ever more rarely.
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

    /** Waits before going on, at least as long as the server asks for if it does. */
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
     * Waits for once to twice as long as advised, since all that were refused got the same advice;
     * doubled once where it did not help, as the server does not know how many they are.
     */
    private Duration obeyed(Duration advice) {
        Duration doubled = advice.multipliedBy(obeyed == 0 ? 1 : 2);
        obeyed++;
        Duration wait = doubled.compareTo(LONGEST_ADVICE) < 0 ? doubled : LONGEST_ADVICE;
        return wait.plus(answers.upTo(wait));
    }

    /**
     * Waits because the revision is gone. The first time only so that many do not ask together: the
     * answer proves that the server is well again, so what it failed before does not count.
     */
    Duration expired() {
        expirations++;
        return expirations == 1 ? answers.upTo(SOON) : failed();
    }

    /**
     * Whether the stream may go on at its revision after an internal error; for a while only, then
     * a list has to tell what is true (list-watch.md#up-38).
     */
    boolean toleratesInternalError(Instant now) {
        if (lastInternalError.isBefore(now.minus(RECOVERY))) {
            firstInternalError = now;
        }
        lastInternalError = now;
        return now.isBefore(firstInternalError.plus(internalErrors));
    }

    /**
     * Whether, with the failure at hand, so much has failed that only the most recent state, asked
     * for without a revision, can help (list-watch.md#bo-5).
     */
    boolean tooMany() {
        return failures + 1 >= TOLERATED;
    }
}
