package io.kubemirror.api.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Counts the connections of clients; may be used from any thread. */
public final class ConnectionMeters implements MeterBinder {

    private final AtomicInteger open = new AtomicInteger();
    private final Map<Reason, LongAdder> refused =
            Arrays.stream(Reason.values())
                    .collect(Collectors.toMap(Function.identity(), _ -> new LongAdder()));

    /** Why a connection is not wanted. */
    enum Reason {
        /** There are too many. */
        TOTAL,
        /** Its client has too many. */
        CLIENT,
        /** No whole request has come in time. */
        LATE,
        /** There is no memory for it, or for the request head that it sends. */
        MEMORY,
        /** Newer ones of the management port need its place. */
        MANAGEMENT
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kubemirror.connections.open", open, AtomicInteger::get)
                .description("Connections of clients")
                .register(registry);
        refused.forEach((reason, count) -> bind(reason, count, registry));
    }

    private static void bind(Reason reason, LongAdder count, MeterRegistry registry) {
        FunctionCounter.builder("kubemirror.connections.refused", count, LongAdder::sum)
                .description("Connections beyond a limit of number, time or memory")
                .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    /** A connection begins. */
    void opened() {
        open.incrementAndGet();
    }

    /** A connection ends. */
    void closed() {
        open.decrementAndGet();
    }

    /** A connection is not wanted. */
    void refused(Reason reason) {
        Objects.requireNonNull(refused.get(reason)).increment();
    }
}
