package io.kubemirror.api.server;

import jakarta.validation.constraints.Min;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits for client connections. Beyond them, others wait until one ends.
 *
 * @param max Maximum number of connections of all clients. A small heap allows fewer: one for each
 *     8 KB of three quarters of the memory for clients.
 * @param managementMax Maximum number of connections to the management port. Those that are silent
 *     for a second make room for others.
 */
public record ConnectionProperties(
        @DefaultValue("15000") @Min(value = 1, message = "is not positive; use a limit") int max,
        @DefaultValue("100") @Min(value = 10, message = "is too small; use 10 or more")
                int managementMax) {}
