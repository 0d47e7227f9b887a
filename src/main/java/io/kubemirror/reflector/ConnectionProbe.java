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

    /** Whether the last probe was accepted, or there was none. */
    private boolean accepting = true;

    /** The number of probes that were accepted. */
    private long accepted;

    /** The number of those that came after one whose connection was not accepted. */
    private long returns;

    /** The number of answers from the server to the requests of reflectors. */
    private long answers;

    /** The time of the next probe. */
    private Instant due = Instant.MIN;

    /** The time until which no other reflector continues. */
    private Instant heldUntil = Instant.MIN;

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
        answers++;
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
        long known = returns(refused);
        long answered = answers();
        Duration left = longest;
        while (left.isPositive()) {
            Duration look = Collections.min(List.of(left, LOOK.draw(random)));
            sleeper.sleep(look);
            left = left.minus(look);
            askIfDue();
            if (returns(refused) > known && mayContinue(answered)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns how often the server has become reachable.
     *
     * @param refused whether it is known not to have been reachable before the next probe
     */
    private synchronized long returns(boolean refused) {
        return refused ? accepted : returns;
    }

    private synchronized long answers() {
        return answers;
    }

    /**
     * Returns whether the server is reachable, and has answered since or no other reflector has
     * continued to find out.
     */
    private synchronized boolean mayContinue(long answered) {
        Instant now = clock.instant();
        if (!accepting || now.isBefore(heldUntil)) {
            return false;
        }
        if (answers == answered) {
            heldUntil = now.plus(PATIENCE);
        }
        return true;
    }

    /** No thread holds the monitor while one probes. */
    private void askIfDue() {
        if (begin()) {
            boolean open = false;
            try {
                open = accepts.getAsBoolean();
            } finally {
                found(open);
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

    /** Reflectors are not held back by a 429 from before an outage. */
    private synchronized void found(boolean open) {
        asking = false;
        heldUntil = open ? heldUntil : Instant.MIN;
        if (open) {
            accepted++;
            returns += accepting ? 0 : 1;
        }
        accepting = open;
    }
}
