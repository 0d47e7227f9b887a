package io.kubemirror.api.watch;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A timer that signals a watch when its waiting time is over. It may fire early.
 *
 * <p>Moving the deadline to a later time leaves the timer as it is: the deadline of a watch moves
 * with every event, and most timers would never fire. Confined to one thread at a time.
 */
final class Deadline {

    private final ScheduledExecutorService timers;
    private final LongSupplier nanos;
    private final Runnable signal;
    private @Nullable Future<?> timer;
    private long at;

    /**
     * Whether the timer has fired. Written before the signal, so that the run that follows the
     * signal sees it and sets the timer again. A timer that was set again in the meantime may be
     * reported too; it is then set twice.
     */
    private volatile boolean fired;

    /**
     * Creates a timer that is not set.
     *
     * @param timers runs the timer
     * @param nanos the clock, in nanoseconds
     * @param signal the signal; must return immediately
     */
    Deadline(ScheduledExecutorService timers, LongSupplier nanos, Runnable signal) {
        this.timers = timers;
        this.nanos = nanos;
        this.signal = signal;
    }

    /** Sets the deadline. The timer fires at this time or earlier. */
    void set(long until) {
        boolean early = timer != null && !fired && at - until <= 0;
        if (!early) {
            cancel();
            at = until;
            fired = false;
            timer = timers.schedule(this::fire, until - nanos.getAsLong(), TimeUnit.NANOSECONDS);
        }
    }

    private void fire() {
        // Written before the signal, because the run that follows has to set the timer again.
        fired = true;
        signal.run();
    }

    /** Cancels the timer. It may still fire once. */
    void cancel() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
