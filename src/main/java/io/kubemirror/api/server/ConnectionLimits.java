package io.kubemirror.api.server;

import java.time.Duration;

/**
 * Limits of the number of client connections and of the time for a request to arrive.
 *
 * @param total connections of all clients together, 0 for no limit
 * @param perClient connections of one client address, 0 for no limit
 * @param management connections of the management port, at least 1
 * @param requestTimeout time from the first byte of a request, or from the beginning of a
 *     connection, to the end of the request's headers; positive
 */
public record ConnectionLimits(int total, int perClient, int management, Duration requestTimeout) {

    /** Returns the defaults. */
    public static ConnectionLimits standard() {
        return new ConnectionLimits(10_000, 0, 100, Duration.ofSeconds(10));
    }
}
