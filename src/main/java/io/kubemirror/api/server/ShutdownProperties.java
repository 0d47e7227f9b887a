package io.kubemirror.api.server;

import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.convert.DurationUnit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Graceful shutdown (list-watch.md#in-6, #in-7).
 *
 * @param delay Time during which requests are still served while readiness already reports the
 *     shutdown.
 * @param watchSpread Period over which open watches are ended.
 */
public record ShutdownProperties(
        @DefaultValue("0s")
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(message = "is negative; use a duration such as 5s")
                Duration delay,
        @DefaultValue("2s")
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(message = "is negative; use a duration such as 5s")
                Duration watchSpread) {

    /** Shuts down without delay. */
    public static final ShutdownProperties IMMEDIATE =
            new ShutdownProperties(Duration.ZERO, Duration.ZERO);
}
