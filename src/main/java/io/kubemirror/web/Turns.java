package io.kubemirror.web;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The turns of one watch: it has one whenever somebody has rung, however many rings come together,
 * and never two at a time, though each may be on another thread. May be rung from any thread.
 */
final class Turns {

    private final Executor crew;
    private final Runnable next = this::take;

    /**
     * Rings since the last turn that began; the first is that of the beginning. Only the ring that
     * finds none has the next turn taken, and a turn counts down what it had heard at its end: so
     * turns follow each other, and what one has written the next one sees, on whichever thread.
     */
    private final AtomicInteger rings = new AtomicInteger(1);

    private volatile Runnable turn = () -> {};

    /**
     * No turns yet.
     *
     * @param crew takes them
     */
    Turns(Executor crew) {
        this.crew = crew;
    }

    /** Begins with the first turn. */
    void begin(Runnable turn) {
        this.turn = turn;
        crew.execute(next);
    }

    /** Asks for another turn. */
    void ring() {
        if (rings.getAndIncrement() == 0) {
            crew.execute(next);
        }
    }

    private void take() {
        int heard = rings.get();
        turn.run();
        if (rings.addAndGet(-heard) > 0) {
            // Behind all others that wait.
            crew.execute(next);
        }
    }
}
