package io.kubemirror.model;

import module java.base;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that runs a task again and again, until it is stopped. A run that fails is logged, and
 * the next one follows.
 */
public final class PeriodicThread implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PeriodicThread.class);

    private final String name;
    private final Task task;
    private final Duration afterFailure;
    private final Sleeper sleeper;

    /** What the thread does. */
    @FunctionalInterface
    public interface Task {

        /**
         * Runs the task once, and returns the time until its next run.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        Duration run() throws InterruptedException;
    }

    /** Changed by one thread at a time, read by any. */
    private volatile @Nullable Thread thread;

    /**
     * Creates a thread that has not started.
     *
     * @param name the name of the thread
     * @param task runs at once, and then again and again
     * @param afterFailure the time until the next run if one fails
     * @param sleeper waits between two runs
     */
    public PeriodicThread(String name, Task task, Duration afterFailure, Sleeper sleeper) {
        this.name = name;
        this.task = task;
        this.afterFailure = afterFailure;
        this.sleeper = sleeper;
    }

    /** Starts a virtual thread with a first run. */
    public void start() {
        thread = Thread.ofVirtual().name(name).start(this::run);
    }

    /** Runs the task until the thread is interrupted. */
    public void run() {
        boolean failed = false;
        try {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    sleeper.sleep(failed ? afterFailure : task.run());
                    failed = false;
                } catch (RuntimeException | Error defect) {
                    log.error("{} has failed and will be tried again", name, defect);
                    failed = true;
                }
            }
        } catch (InterruptedException stopped) {
            log.debug("{} has stopped", name);
        }
    }

    /**
     * Stops the thread.
     *
     * @param patience how long to wait for a run in progress
     */
    public void stop(Duration patience) {
        Thread running = thread;
        thread = null;
        if (running != null) {
            running.interrupt();
            try {
                running.join(patience);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Stops the thread without waiting for a run in progress. */
    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    /** Returns whether the thread has been started, and not stopped. */
    public boolean isRunning() {
        return thread != null;
    }

    /** Waits for a duration: {@code Thread::sleep}, or a test's implementation. */
    @FunctionalInterface
    public interface Sleeper {

        /**
         * Waits.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        void sleep(Duration duration) throws InterruptedException;
    }
}
