package io.kubemirror.api.server;

import jakarta.validation.constraints.Min;

import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.convert.DurationUnit;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * Limits for client connections.
 *
 * @param max Maximum number of connections of all clients; 0 for no limit.
 * @param maxPerClient Maximum number of connections per client address; 0 for no limit.
 * @param managementMax Maximum number of connections to the management port. Beyond it a new
 *     connection replaces the one that has been idle for the longest time.
 * @param requestTimeout Maximum time for a request to arrive, measured from its first byte or from
 *     the start of the connection.
 */
public record ConnectionProperties(
        @DefaultValue("10000") @Min(value = 0, message = "is negative; use 0 for no limit or more")
                int max,
        @DefaultValue("0") @Min(value = 0, message = "is negative; use 0 for no limit or more")
                int maxPerClient,
        @DefaultValue("100") @Min(value = 10, message = "is too small; use 10 or more")
                int managementMax,
        @DefaultValue("10s")
                @DurationUnit(ChronoUnit.SECONDS)
                @DurationMin(
                        millis = 100,
                        message = "is too short; use 100ms or more, for example 10s")
                Duration requestTimeout) {

    /** Rejects a limit per client that exceeds the limit of all clients. */
    public ConnectionProperties {
        if (max > 0 && maxPerClient > max) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.connections.max-per-client",
                    maxPerClient,
                    "%d is above max; use %d or less, or 0 for no limit"
                            .formatted(maxPerClient, max));
        }
    }

    /** Returns the defaults. */
    public static ConnectionProperties standard() {
        return new ConnectionProperties(10_000, 0, 100, Duration.ofSeconds(10));
    }
}
