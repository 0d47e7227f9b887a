package io.kubemirror.api.server;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Limits for client connections. Beyond them, others wait until one ends.
 *
 * @param max Maximum number of connections of all clients. A small heap allows fewer.
 */
public record ConnectionProperties(@DefaultValue("15000") int max) {

    /** Refuses a limit without connections. */
    public ConnectionProperties {
        Assert.isTrue(max > 0, "kubemirror.connections.max is not positive");
    }
}
