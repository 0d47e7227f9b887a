package io.kubemirror.api.watch;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Rings when a watch has waited for long enough, at times too early.
 *
 * <p>An alarm that is set to a later time is left as it is: what a watch waits for moves on with
 * every event, and most alarms would never ring. For one thread.
 */
final class Deadline {

    private final ScheduledExecutorService alarms;
    private final LongSupplier nanos;
    private final Runnable bell;
    private @Nullable Future<?> set;
    private long at;

    /**
     * Written by the alarm before it rings, so the turn that the ring leads to sees it and sets the
     * alarm again. One that was set anew meanwhile may be told so too: then it is set twice.
     */
    private volatile boolean rung;

    /**
     * An alarm that is not set.
     *
     * @param alarms rings
     * @param nanos the clock by which it does
     * @param bell must return at once
     */
    Deadline(ScheduledExecutorService alarms, LongSupplier nanos, Runnable bell) {
        this.alarms = alarms;
        this.nanos = nanos;
        this.bell = bell;
    }

    /** Rings at a time at the latest. */
    void set(long until) {
        boolean early = set != null && !rung && at - until <= 0;
        if (!early) {
            cancel();
            at = until;
            rung = false;
            set = alarms.schedule(this::fire, until - nanos.getAsLong(), TimeUnit.NANOSECONDS);
        }
    }

    private void fire() {
        // First: whoever comes because of the ring has to set the alarm again.
        rung = true;
        bell.run();
    }

    /** Does not ring any more, or once at most. */
    void cancel() {
        if (set != null) {
            set.cancel(false);
            set = null;
        }
    }
}
