package io.kubemirror.reflector;

import io.kubemirror.model.Sleeper;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

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

    private static final Duration MIN_INTERVAL = Duration.ofMillis(800);
    private static final Duration MAX_INTERVAL = Duration.ofMillis(1_200);
    private static final Duration MIN_LOOK = Duration.ofMillis(200);
    private static final Duration MAX_LOOK = Duration.ofMillis(500);

    /**
     * The maximum time to wait for an answer to the first request before another reflector
     * continues.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final BooleanSupplier accepts;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Sleeper sleeper;

    /**
     * Held by the one thread that probes: the next thread that acquires it sees what this one
     * found.
     */
    private final AtomicBoolean asking = new AtomicBoolean();

    /**
     * The results so far, an immutable value. Written only by the thread that holds {@link
     * #asking}; volatile, so that all other threads see it.
     */
    private volatile ProbeHistory findings = new ProbeHistory(0, 0, true, Instant.MIN);

    /**
     * Decides which reflector may continue once the server accepts connections. Threads change it
     * by compare-and-set only, so that exactly one continues first, and a reflector that sees an
     * answer sees all earlier ones.
     */
    private final AtomicReference<Permit> admission =
            new AtomicReference<>(new Permit(0, Instant.MIN));

    /**
     * The requests of the reflectors that continued.
     *
     * @param answers the number of answers from the server
     * @param heldUntil the time until which no other reflector continues
     */
    private record Permit(long answers, Instant heldUntil) {

        Permit heldUntil(Instant end) {
            return new Permit(answers, end);
        }
    }

    /**
     * The results of all probes so far.
     *
     * @param asked the number of probes
     * @param refused the number of probes whose connection was not accepted
     * @param accepting whether the last probe was accepted, or there was none
     * @param due the time of the next probe
     */
    private record ProbeHistory(long asked, long refused, boolean accepting, Instant due) {

        /** The clock may be set back by any amount. */
        boolean isDue(Instant now) {
            return !now.isBefore(due) || now.isBefore(due.minus(MAX_INTERVAL));
        }

        ProbeHistory until(Instant next) {
            return new ProbeHistory(asked, refused, accepting, next);
        }

        ProbeHistory and(boolean accepted) {
            long refusals = accepted ? refused : refused + 1;
            return new ProbeHistory(asked + 1, refusals, accepted, due);
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
    void answered() {
        admission.updateAndGet(now -> new Permit(now.answers() + 1, Instant.MIN));
    }

    /**
     * Records that the server answered 429: no other reflector continues before that request is
     * repeated.
     *
     * @param delay the time until it is repeated
     */
    void throttled(Duration delay) {
        Instant end = clock.instant().plus(delay).plus(PATIENCE);
        admission.updateAndGet(now -> now.heldUntil(end));
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
        ProbeHistory before = findings;
        long answers = admission.get().answers();
        Duration left = longest;
        while (left.isPositive()) {
            Duration look = shorter(left, between(MIN_LOOK, MAX_LOOK));
            sleeper.sleep(look);
            left = left.minus(look);
            if (hasReturned(before, refused) && isAdmitted(answers)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasReturned(ProbeHistory before, boolean refused) {
        askIfDue();
        ProbeHistory now = findings;
        boolean wasAway = refused || !before.accepting() || now.refused() > before.refused();
        return now.accepting() && now.asked() > before.asked() && wasAway;
    }

    /**
     * Returns whether the server has answered since, or no other reflector has continued to find
     * out.
     */
    private boolean isAdmitted(long answersBefore) {
        Permit now = admission.get();
        Instant instant = clock.instant();
        if (instant.isBefore(now.heldUntil())) {
            return false;
        }
        return now.answers() > answersBefore
                || admission.compareAndSet(now, now.heldUntil(instant.plus(PATIENCE)));
    }

    private void askIfDue() {
        if (!asking.compareAndSet(false, true)) {
            return;
        }
        try {
            Instant now = clock.instant();
            if (findings.isDue(now)) {
                findings = findings.until(now.plus(between(MIN_INTERVAL, MAX_INTERVAL)));
                found(accepts.getAsBoolean());
            }
        } finally {
            asking.set(false);
        }
    }

    /** Reflectors are not held back by a 429 from before an outage. */
    private void found(boolean accepted) {
        if (!accepted) {
            admission.updateAndGet(now -> now.heldUntil(Instant.MIN));
        }
        findings = findings.and(accepted);
    }

    private Duration between(Duration shortest, Duration longest) {
        return Duration.ofMillis(random.nextLong(shortest.toMillis(), longest.toMillis()));
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
