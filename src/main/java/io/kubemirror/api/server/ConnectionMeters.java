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

/** Counts the connections that are refused or closed. Thread-safe. */
public final class ConnectionMeters implements MeterBinder {

    private final Map<Reason, LongAdder> refused =
            Arrays.stream(Reason.values())
                    .collect(Collectors.toMap(Function.identity(), _ -> new LongAdder()));

    /** The reason why a connection is refused or closed. */
    enum Reason {
        /** All clients together have too many connections. */
        TOTAL,
        /** The client has too many connections. */
        CLIENT,
        /** No complete request has arrived in time. */
        LATE,
        /** There is no memory for the connection or for its request head. */
        MEMORY,
        /** A newer connection of the management port takes its place. */
        MANAGEMENT
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        refused.forEach(
                (reason, count) ->
                        FunctionCounter.builder(
                                        "kubemirror.connections.refused", count, LongAdder::sum)
                                .description("Connections beyond a limit of number, time or memory")
                                .tag("reason", Names.kebab(reason))
                                .register(registry));
    }

    /** Records that a connection is refused or closed. */
    void refused(Reason reason) {
        Objects.requireNonNull(refused.get(reason)).increment();
    }
}
