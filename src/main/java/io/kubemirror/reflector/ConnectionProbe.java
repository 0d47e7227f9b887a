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
 * Finds out, once for all reflectors of a process, when an API server that could not be reached
 * accepts connections again, and lets go on those that wait for it.
 *
 * <p>While at least one reflector waits, the server is asked about once a second, by whichever
 * reflector looks first when the time has come. Each looks at the last finding every 200 to 500 ms,
 * drawn anew each time, so that all go on within half a second, but not together. One goes first,
 * and the others follow when the server has answered it: thousands of processes ask for one thing
 * each, and a server that answers 429 is asked for nothing else until it takes that. A wait is cut
 * short only after the server was found not to accept connections, by the failure that led to it or
 * by a finding: one that accepts each connection and then drops it is left to the backoff. Safe for
 * any number of threads.
 *
 * <p>Rejected: a thread that asks, and a signal to those that wait. They would have to be scattered
 * by further waits, and nothing could be tested on a clock moved by hand.
 */
public final class ConnectionProbe {

    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(800);
    private static final Duration LONGEST_INTERVAL = Duration.ofMillis(1_200);
    private static final Duration SHORTEST_LOOK = Duration.ofMillis(200);
    private static final Duration LONGEST_LOOK = Duration.ofMillis(500);

    /** How long an answer to the first request is waited for, until another reflector goes. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final BooleanSupplier accepts;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Sleeper sleeper;
    private final boolean enabled;

    /** Held by the one thread that asks: what it wrote is seen by the next one that takes it. */
    private final AtomicBoolean asking = new AtomicBoolean();

    /** When to ask next; used only by the thread that holds {@link #asking}. */
    private Instant due = Instant.MIN;

    /**
     * What was found out so far, a value that never changes; written only by the thread that holds
     * {@link #asking}, and published to all others by being volatile.
     */
    private volatile ProbeHistory findings = new ProbeHistory(0, 0, true);

    /**
     * Who may go on once the server accepts connections. Threads change it by compare-and-set only,
     * so that exactly one goes first, and a reflector that sees an answer sees all before it.
     */
    private final AtomicReference<Admission> admission =
            new AtomicReference<>(new Admission(0, Instant.MIN));

    /**
     * What is known of the requests of those that went on.
     *
     * @param answers how often the server answered one
     * @param heldUntil until when nobody else goes on
     */
    private record Admission(long answers, Instant heldUntil) {

        Admission heldUntil(Instant end) {
            return new Admission(answers, end);
        }
    }

    /**
     * The answers of the server so far.
     *
     * @param asked how often it was asked
     * @param refused how often it did not accept a connection
     * @param accepting whether it accepted the last one, or was never asked
     */
    private record ProbeHistory(long asked, long refused, boolean accepting) {

        ProbeHistory and(boolean accepted) {
            return new ProbeHistory(asked + 1, accepted ? refused : refused + 1, accepted);
        }
    }

    private ConnectionProbe(
            BooleanSupplier accepts,
            InstantSource clock,
            RandomGenerator random,
            Sleeper sleeper,
            boolean enabled) {
        this.accepts = accepts;
        this.clock = clock;
        this.random = random;
        this.sleeper = sleeper;
        this.enabled = enabled;
    }

    /**
     * A probe of one server.
     *
     * @param accepts asks whether the server accepts connections; blocks for seconds at most
     * @param clock tells the time
     * @param random scatters what is asked and those that go on; safe for any number of threads
     * @param sleeper waits
     */
    public ConnectionProbe(
            BooleanSupplier accepts, InstantSource clock, RandomGenerator random, Sleeper sleeper) {
        this(accepts, clock, random, sleeper, true);
    }

    /** One that never asks, so that every wait lasts as long as it may. */
    static ConnectionProbe none(Sleeper sleeper) {
        return new ConnectionProbe(
                () -> false, InstantSource.system(), RandomGenerator.getDefault(), sleeper, false);
    }

    /** The server answered a request, other than by 429: all that wait may go on. */
    void answered() {
        admission.updateAndGet(now -> new Admission(now.answers() + 1, Instant.MIN));
    }

    /**
     * The server answered 429: nobody else goes on before that request is repeated.
     *
     * @param delay how long until then
     */
    void throttled(Duration delay) {
        Instant end = clock.instant().plus(delay).plus(PATIENCE);
        admission.updateAndGet(now -> now.heldUntil(end));
    }

    /**
     * Waits until the server accepts connections again, and this reflector may go first or the
     * server has answered another.
     *
     * @param longest how long at most, not counting what asking takes
     * @param refused whether the server is known not to have accepted a connection just now
     * @return whether it accepts connections again; false if the time is over
     * @throws InterruptedException if the thread is interrupted
     */
    boolean await(Duration longest, boolean refused) throws InterruptedException {
        if (!enabled) {
            sleeper.sleep(longest);
            return false;
        }
        ProbeHistory before = findings;
        long answers = admission.get().answers();
        Duration left = longest;
        while (left.isPositive()) {
            Duration look = shorter(left, between(SHORTEST_LOOK, LONGEST_LOOK));
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

    /** Whether the server has answered since, or nobody else has gone to find out. */
    private boolean isAdmitted(long answersBefore) {
        Admission now = admission.get();
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
            // A clock may be set back, by any time.
            if (!now.isBefore(due) || now.isBefore(due.minus(LONGEST_INTERVAL))) {
                due = now.plus(between(SHORTEST_INTERVAL, LONGEST_INTERVAL));
                found(accepts.getAsBoolean());
            }
        } finally {
            asking.set(false);
        }
    }

    /** A server that is away holds nobody back when it returns. */
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
