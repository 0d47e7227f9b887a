package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirrors;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts watches and what they deliver, for each configured resource. */
final class WatchMeters {

    private final Map<String, Meter> meters = new HashMap<>();

    WatchMeters(Mirrors mirrors, MeterRegistry registry) {
        for (Mirror mirror : mirrors.all()) {
            meters.computeIfAbsent(
                    mirror.scope().toString(), resource -> new Meter(resource, registry));
        }
    }

    /** The meter of a mirror's watches. */
    Meter of(Mirror mirror) {
        return Objects.requireNonNull(meters.get(mirror.scope().toString()));
    }

    /** The watches of one resource; may be used from any thread. */
    static final class Meter {

        private final AtomicInteger open = new AtomicInteger();
        private final Counter events;
        private final Counter bytes;

        private Meter(String resource, MeterRegistry registry) {
            Gauge.builder("kubemirror.watches.open", open, AtomicInteger::get)
                    .description("Watches that are being served")
                    .tag("resource", resource)
                    .register(registry);
            events =
                    Counter.builder("kubemirror.watch.events.delivered")
                            .description("Events sent to watching clients, bookmarks included")
                            .tag("resource", resource)
                            .register(registry);
            bytes =
                    Counter.builder("kubemirror.watch.bytes.delivered")
                            .description("Bytes sent to watching clients")
                            .tag("resource", resource)
                            .register(registry);
        }

        /** A watch begins. */
        void opened() {
            open.incrementAndGet();
        }

        /** A watch ends. */
        void closed() {
            open.decrementAndGet();
        }

        /** A watch has sent something. */
        void delivered(int events, int bytes) {
            this.events.increment(events);
            this.bytes.increment(bytes);
        }
    }
}
