package io.kubemirror.api.watch;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The turns of one watch: it has one whenever somebody has rung, however many rings come together,
 * and never two at a time, though each may be on another thread. May be rung from any thread.
 */
final class CoalescingTask {

    private final Executor executor;
    private final Runnable next = this::run;

    /**
     * Rings since the last turn that began; the first is that of the beginning. Only the ring that
     * finds none has the next turn taken, and a turn counts down what it had heard at its end: so
     * turns follow each other, and what one has written the next one sees, on whichever thread.
     */
    private final AtomicInteger signals = new AtomicInteger(1);

    private volatile Runnable task = () -> {};

    /**
     * No turns yet.
     *
     * @param crew takes them
     */
    CoalescingTask(Executor crew) {
        this.executor = crew;
    }

    /** Begins with the first turn. */
    void start(Runnable turn) {
        this.task = turn;
        executor.execute(next);
    }

    /** Asks for another turn. */
    void signal() {
        if (signals.getAndIncrement() == 0) {
            executor.execute(next);
        }
    }

    private void run() {
        int heard = signals.get();
        task.run();
        if (signals.addAndGet(-heard) > 0) {
            // Behind all others that wait.
            executor.execute(next);
        }
    }
}
