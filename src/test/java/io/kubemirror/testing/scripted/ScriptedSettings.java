package io.kubemirror.testing.scripted;

import module java.base;

/**
 * The settings of a {@link ScriptedApiServer}.
 *
 * @param clock the source of {@code creationTimestamp}s
 * @param freshness how long a request waits for a revision of the future (list-watch.md#li-20)
 * @param timeouts ends watches in time
 */
public record ScriptedSettings(InstantSource clock, Duration freshness, WatchTimeouts timeouts) {

    /** For tests: a fixed time, short waits, and watches that only commands end. */
    public static ScriptedSettings deterministic() {
        return new ScriptedSettings(
                InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z")),
                Duration.ofMillis(100),
                WatchTimeouts.never());
    }

    /** The same with another freshness wait. */
    public ScriptedSettings withFreshness(Duration freshness) {
        return new ScriptedSettings(clock, freshness, timeouts);
    }

    /** The same with another way to end watches. */
    public ScriptedSettings withTimeouts(WatchTimeouts timeouts) {
        return new ScriptedSettings(clock, freshness, timeouts);
    }

    /** The same with another clock. */
    public ScriptedSettings withClock(InstantSource clock) {
        return new ScriptedSettings(clock, freshness, timeouts);
    }

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
                var scheduled =
                        scheduler.schedule(action, duration.toMillis(), TimeUnit.MILLISECONDS);
                if (scheduled.isCancelled()) {
                    throw new IllegalStateException("the scheduler is shut down");
                }
            };
        }
    }
}
