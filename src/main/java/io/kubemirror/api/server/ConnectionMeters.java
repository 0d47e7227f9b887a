package io.kubemirror.api.server;

import io.kubemirror.model.Names;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Counts the connections that are refused or closed, and the requests without memory. Thread-safe.
 */
public final class ConnectionMeters implements MeterBinder {

    private final Map<Reason, LongAdder> refused =
            Arrays.stream(Reason.values())
                    .collect(Collectors.toMap(Function.identity(), _ -> new LongAdder()));

    /** The reason why a connection or a request is refused. */
    public enum Reason {
        /** All clients together have too many connections. */
        TOTAL,
        /** The client has too many connections. */
        CLIENT,
        /** No complete request has arrived in time. */
        LATE,
        /** There is no memory for the connection or for its request head. */
        MEMORY,
        /** There is no memory for a response. The connection stays open. */
        RESPONSE
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        refused.forEach(
                (reason, count) ->
                        FunctionCounter.builder(
                                        "kubemirror.connections.refused", count, LongAdder::sum)
                                .description(
                                        "Connections refused or closed, because a limit of number,"
                                                + " time, or memory was exceeded")
                                .tag("reason", Names.kebab(reason))
                                .register(registry));
    }

    /** Records that a connection, or a request on it, is refused. */
    public void refused(Reason reason) {
        Objects.requireNonNull(refused.get(reason)).increment();
    }
}
