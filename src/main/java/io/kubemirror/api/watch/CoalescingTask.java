package io.kubemirror.api.watch;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The task of one watch. It runs after each signal, coalesces signals that arrive together, and
 * never runs twice at a time, although each run may be on another thread. Thread-safe.
 */
final class CoalescingTask {

    private final Executor executor;
    private final Runnable next = this::run;

    /**
     * The number of signals since the last run began. It starts at one, for the first run. Only a
     * signal that increments it from zero submits the next run, and a run subtracts at its end the
     * number that it read at its beginning. Runs are therefore sequential, and the writes of a run
     * happen before the next run, on any thread.
     */
    private final AtomicInteger signals = new AtomicInteger(1);

    private volatile Runnable task = () -> {};

    /**
     * Creates a task that has not been started.
     *
     * @param executor runs the task
     */
    CoalescingTask(Executor executor) {
        this.executor = executor;
    }

    /** Starts the task and submits its first run. */
    void start(Runnable work) {
        this.task = work;
        executor.execute(next);
    }

    /** Requests another run. */
    void signal() {
        if (signals.getAndIncrement() == 0) {
            executor.execute(next);
        }
    }

    private void run() {
        int heard = signals.get();
        task.run();
        if (signals.addAndGet(-heard) > 0) {
            // Queued behind all other tasks.
            executor.execute(next);
        }
    }
}
