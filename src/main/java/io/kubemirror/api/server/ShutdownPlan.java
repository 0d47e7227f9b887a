package io.kubemirror.api.server;

import java.time.Duration;

/**
 * The durations of a graceful shutdown (list-watch.md#in-6, #in-7).
 *
 * @param delay how long requests are still served while {@code /readyz} already fails
 * @param watchSpread the period over which the ends of the open watches are spread
 */
public record ShutdownPlan(Duration delay, Duration watchSpread) {

    /** Shuts down without delay. */
    public static final ShutdownPlan IMMEDIATE = new ShutdownPlan(Duration.ZERO, Duration.ZERO);
}
