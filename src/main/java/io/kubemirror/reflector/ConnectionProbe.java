package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.DurationRange;
import io.kubemirror.model.PeriodicThread.Sleeper;

/**
 * Detects, once for all reflectors of a process, when an unreachable API server accepts connections
 * again, and releases the reflectors that wait for it.
 *
 * <p>While at least one reflector waits, one of them probes the server about once a second. Each
 * reflector checks the last result every 200 to 500 ms, randomized each time, so that all continue
 * within half a second but not together. One continues first, and the others follow when the server
 * has answered it: thousands of processes send one request each, and a server that answers 429 gets
 * no other request until it accepts that one. A wait is shortened only if the server was found not
 * to accept connections, by the failure that led to the wait or by a probe. A server that accepts
 * each connection and then drops it is left to the backoff. Safe for use by any number of threads.
 *
 * <p>Rejected: a probing thread that signals the waiting reflectors. Their requests would need
 * further waits to spread out, and tests could not use a manual clock.
 */
public final class ConnectionProbe {

    private static final DurationRange INTERVAL =
            new DurationRange(Duration.ofMillis(800), Duration.ofMillis(1_200));
    private static final DurationRange LOOK =
            new DurationRange(Duration.ofMillis(200), Duration.ofMillis(500));

    /**
     * The maximum time to wait for an answer to the first request before another reflector
     * continues.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final BooleanSupplier accepts;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Sleeper sleeper;

    /** Whether a thread is probing. Guarded by the monitor, as are all fields below. */
    private boolean asking;

    private ProbeHistory history = new ProbeHistory(0, 0, true, 0);

    /** The time of the next probe. */
    private Instant due = Instant.MIN;

    /** The time until which no other reflector continues. */
    private Instant heldUntil = Instant.MIN;

    /**
     * What has been found out so far.
     *
     * @param asked the number of probes
     * @param refused the number of probes whose connection was not accepted
     * @param accepting whether the last probe was accepted, or there was none
     * @param answers the number of answers from the server to the requests of reflectors
     */
    private record ProbeHistory(long asked, long refused, boolean accepting, long answers) {

        ProbeHistory and(boolean accepted) {
            return new ProbeHistory(asked + 1, accepted ? refused : refused + 1, accepted, answers);
        }

        ProbeHistory answered() {
            return new ProbeHistory(asked, refused, accepting, answers + 1);
        }

        /** Returns whether the server has become reachable since. */
        boolean hasReturned(ProbeHistory before, boolean wasRefused) {
            boolean wasAway = wasRefused || !before.accepting || refused > before.refused;
            return accepting && asked > before.asked && wasAway;
        }
    }

    /**
     * Creates a probe of one server.
     *
     * @param accepts tests whether the server accepts connections; blocks for seconds at most
     * @param clock the clock
     * @param random randomizes the times of probes and of reflectors that continue; safe for use by
     *     any number of threads
     * @param sleeper waits
     */
    public ConnectionProbe(
            BooleanSupplier accepts, InstantSource clock, RandomGenerator random, Sleeper sleeper) {
        this.accepts = accepts;
        this.clock = clock;
        this.random = random;
        this.sleeper = sleeper;
    }

    /**
     * Records that the server answered a request, other than by 429: all waiting reflectors may
     * continue.
     */
    synchronized void answered() {
        history = history.answered();
        heldUntil = Instant.MIN;
    }

    /**
     * Records that the server answered 429: no other reflector continues before that request is
     * repeated.
     *
     * @param delay the time until it is repeated
     */
    synchronized void throttled(Duration delay) {
        heldUntil = clock.instant().plus(delay).plus(PATIENCE);
    }

    /**
     * Waits until the server accepts connections again, and this reflector may continue first or
     * the server has answered another one.
     *
     * @param longest the maximum wait, without the time of probes
     * @param refused whether the server is known not to have accepted a connection just now
     * @return whether the server accepts connections again; false if the time is over
     * @throws InterruptedException if the thread is interrupted
     */
    boolean await(Duration longest, boolean refused) throws InterruptedException {
        ProbeHistory before = history();
        Duration left = longest;
        while (left.isPositive()) {
            Duration look = Collections.min(List.of(left, LOOK.draw(random)));
            sleeper.sleep(look);
            left = left.minus(look);
            askIfDue();
            if (mayContinue(before, refused)) {
                return true;
            }
        }
        return false;
    }

    private synchronized ProbeHistory history() {
        return history;
    }

    /**
     * Returns whether the server has become reachable, and has answered since or no other reflector
     * has continued to find out.
     */
    private synchronized boolean mayContinue(ProbeHistory before, boolean refused) {
        Instant now = clock.instant();
        if (!history.hasReturned(before, refused) || now.isBefore(heldUntil)) {
            return false;
        }
        if (history.answers() == before.answers()) {
            heldUntil = now.plus(PATIENCE);
        }
        return true;
    }

    /** No thread holds the monitor while one probes. */
    private void askIfDue() {
        if (begin()) {
            try {
                found(accepts.getAsBoolean());
            } finally {
                end();
            }
        }
    }

    private synchronized boolean begin() {
        Instant now = clock.instant();
        if (asking || now.isBefore(due)) {
            return false;
        }
        asking = true;
        due = now.plus(INTERVAL.draw(random));
        return true;
    }

    private synchronized void end() {
        asking = false;
    }

    /** Reflectors are not held back by a 429 from before an outage. */
    private synchronized void found(boolean accepted) {
        heldUntil = accepted ? heldUntil : Instant.MIN;
        history = history.and(accepted);
    }
}
