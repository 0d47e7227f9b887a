package io.kubemirror.api.server;

import java.time.Duration;

/**
 * How long the end of the process may take (list-watch.md#in-6, #in-7).
 *
 * @param delay how long everything is served on while {@code /readyz} says already that it will end
 * @param watchSpread over how much time the ends of the open watches are spread
 */
public record ShutdownPlan(Duration delay, Duration watchSpread) {

    /** At once. */
    public static final ShutdownPlan IMMEDIATE = new ShutdownPlan(Duration.ZERO, Duration.ZERO);
}
