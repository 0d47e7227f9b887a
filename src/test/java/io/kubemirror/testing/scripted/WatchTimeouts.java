package io.kubemirror.testing.scripted;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Ends watches when their {@code timeoutSeconds} have passed. */
@FunctionalInterface
public interface WatchTimeouts {

    /** Runs an action after a duration. */
    void after(Duration duration, Runnable action);

    /** Never: watches last until a test ends them. */
    static WatchTimeouts never() {
        return (duration, action) -> {};
    }

    /** A scheduler in real time. */
    static WatchTimeouts by(ScheduledExecutorService scheduler) {
        return (duration, action) -> {
            var scheduled = scheduler.schedule(action, duration.toMillis(), TimeUnit.MILLISECONDS);
            if (scheduled.isCancelled()) {
                throw new IllegalStateException("the scheduler is shut down");
            }
        };
    }
}
