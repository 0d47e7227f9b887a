package io.kubemirror.web;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirrors;
import io.kubemirror.model.Scope;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts watches and what they deliver, for each mirror. */
final class WatchMeters {

    private final Map<String, Meter> meters = new HashMap<>();

    WatchMeters(Mirrors mirrors, MeterRegistry registry) {
        for (Mirror mirror : mirrors.all()) {
            meters.put(mirror.scope().toString(), new Meter(tags(mirror.scope()), registry));
        }
    }

    /** The meter of a mirror's watches. */
    Meter of(Mirror mirror) {
        return Objects.requireNonNull(meters.get(mirror.scope().toString()));
    }

    /** The same tags as all metrics of a mirror have. */
    private static Tags tags(Scope scope) {
        return Tags.of("resource", scope.resource().text())
                .and("namespace", scope.selection().namespace())
                .and("selector", scope.selectors());
    }

    /** The watches of one mirror; may be used from any thread. */
    static final class Meter {

        private final AtomicInteger open = new AtomicInteger();
        private final Counter events;
        private final Counter bytes;

        private Meter(Tags scope, MeterRegistry registry) {
            Gauge.builder("kubemirror.watches.open", open, AtomicInteger::get)
                    .description("Watches that are being served")
                    .tags(scope)
                    .register(registry);
            events =
                    Counter.builder("kubemirror.watch.events.delivered")
                            .description("Events sent to watching clients, bookmarks included")
                            .tags(scope)
                            .register(registry);
            bytes =
                    Counter.builder("kubemirror.watch.bytes.delivered")
                            .description("Bytes sent to watching clients")
                            .tags(scope)
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
