package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.mirror.Subscription;

import org.jspecify.annotations.Nullable;

/**
 * The task of one connection. It runs after each signal, coalesces signals that arrive together,
 * and never runs twice at a time, although each run may be on another thread. A run may set a
 * deadline that signals the next one. Thread-safe, but for the deadline, which is confined to runs.
 */
public final class CoalescingTask implements Runnable, Subscription.Listener {

    private static final AtomicIntegerFieldUpdater<CoalescingTask> SIGNALS =
            AtomicIntegerFieldUpdater.newUpdater(CoalescingTask.class, "signals");

    private final Executor executor;
    private final ScheduledExecutorService timers;
    private final LongSupplier nanos;

    /**
     * The number of signals since the last run began. It starts at one, for the first run. Only a
     * signal that increments it from zero submits the next run, and a run subtracts at its end the
     * number that it read at its beginning. Runs are therefore sequential, and the writes of a run
     * happen before the next run, on any thread.
     *
     * <p>A field, and the task is what the executor runs, so that a signal touches one object of
     * the watch.
     */
    private volatile int signals = 1;

    private volatile Runnable task = () -> {};
    private @Nullable Future<?> timer;
    private long deadline;

    /**
     * Whether the timer has fired. Written before the signal, so that the run that follows the
     * signal sees it and sets the timer again. A timer that was set again in the meantime may be
     * reported too; it is then set twice.
     */
    private volatile boolean fired;

    /** Written before the signal, so that the run that follows the signal sees it. */
    private volatile boolean stopping;

    /**
     * Creates a task that has not been started.
     *
     * @param executor runs the task
     * @param timers runs the timer of the deadline
     * @param nanos the clock of the deadline, in nanoseconds
     */
    public CoalescingTask(Executor executor, ScheduledExecutorService timers, LongSupplier nanos) {
        this.executor = executor;
        this.timers = timers;
        this.nanos = nanos;
    }

    /** Starts the task and submits its first run. */
    public void start(Runnable work) {
        this.task = work;
        executor.execute(this);
    }

    /** Requests another run. */
    @Override
    public void signal() {
        if (SIGNALS.getAndIncrement(this) == 0) {
            executor.execute(this);
        }
    }

    /** Requests the end of the connection, and signals it. */
    public void requestEnd() {
        stopping = true;
        signal();
    }

    /** Whether the end of the connection has been requested. */
    public boolean isEndRequested() {
        return stopping;
    }

    /** Called by the executor. */
    @Override
    public void run() {
        int heard = signals;
        try {
            task.run();
        } finally {
            // Also after an Error, or no later signal would submit a run.
            if (SIGNALS.addAndGet(this, -heard) > 0) {
                // Queued behind all other tasks.
                executor.execute(this);
            }
        }
    }

    /**
     * Requests another run at a time or earlier, in place of the deadline that was set before.
     *
     * <p>A later time leaves the timer as it is: the deadline of a watch moves with every event,
     * and most timers would never fire.
     */
    void signalBy(long until) {
        boolean early = timer != null && !fired && deadline - until <= 0;
        if (!early) {
            cancelDeadline();
            deadline = until;
            fired = false;
            timer = timers.schedule(this::fire, until - nanos.getAsLong(), TimeUnit.NANOSECONDS);
        }
    }

    private void fire() {
        fired = true;
        signal();
    }

    /** Cancels the deadline. Its timer may still fire once. */
    void cancelDeadline() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
