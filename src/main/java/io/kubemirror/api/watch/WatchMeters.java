package io.kubemirror.api.watch;

import io.kubemirror.api.read.SnapshotPin;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.Scope;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/** Metrics of watches for each mirror: their number, what they deliver, and what they hold. */
public final class WatchMeters {

    private static final double[] QUANTILES = {0.5, 0.9, 0.99, 1};

    private static final Duration[] DURATIONS = {
        Duration.ofSeconds(1),
        Duration.ofMinutes(1),
        Duration.ofMinutes(10),
        Duration.ofMinutes(30),
        Duration.ofHours(1)
    };

    private final Map<String, Meter> meters = new HashMap<>();

    /**
     * Creates the metrics without watches.
     *
     * @param watchers the active watches
     * @param nanos a monotonic clock in nanoseconds
     */
    public WatchMeters(
            List<Mirror> mirrors,
            MeterRegistry registry,
            WatcherDirectory watchers,
            LongSupplier nanos) {
        for (Mirror mirror : mirrors) {
            WatchLags lags = new WatchLags(() -> backlogs(watchers.of(mirror)), nanos);
            Meter meter = new Meter(tags(mirror.scope()), registry, lags);
            meters.put(mirror.scope().toString(), meter);
        }
    }

    private static List<Backlog> backlogs(List<WatcherInfo> watching) {
        return watching.stream().map(WatcherInfo::backlog).toList();
    }

    /** Returns the metrics of a mirror's watches. */
    public Meter of(Mirror mirror) {
        return Objects.requireNonNull(meters.get(mirror.scope().toString()));
    }

    /** Returns the tags that all metrics of a mirror have. */
    private static Tags tags(Scope scope) {
        return Tags.of("resource", scope.resource().text())
                .and("namespace", scope.selection().namespace())
                .and("selector", scope.selectors());
    }

    /** The metrics of one mirror's watches. Thread-safe. */
    public static final class Meter {

        private final AtomicInteger open = new AtomicInteger();
        private final AtomicInteger pinned = new AtomicInteger();

        /** Referenced here because the registry holds it weakly. */
        private final WatchLags lags;

        private final Counter events;
        private final Counter bytes;
        private final Counter gaps;
        private final Timer durations;
        private final Map<WatchEndReason, Counter> ends = new EnumMap<>(WatchEndReason.class);

        private Meter(Tags scope, MeterRegistry registry, WatchLags lags) {
            this.lags = lags;
            for (double quantile : QUANTILES) {
                bindLag(quantile, scope, registry);
            }
            Gauge.builder("kubemirror.watches.open", open, AtomicInteger::get)
                    .description("Watches that are being served")
                    .tags(scope)
                    .register(registry);
            Gauge.builder("kubemirror.snapshots.pinned", pinned, AtomicInteger::get)
                    .description("States that lists and first events hold while they are sent")
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
            gaps =
                    Counter.builder("kubemirror.watch.gaps")
                            .description("Watches ended by 410 before they skipped changes")
                            .tags(scope)
                            .register(registry);
            durations =
                    Timer.builder("kubemirror.watch.duration")
                            .description("How long watches were open")
                            .serviceLevelObjectives(DURATIONS)
                            .tags(scope)
                            .register(registry);
            for (WatchEndReason end : WatchEndReason.values()) {
                ends.put(
                        end,
                        Counter.builder("kubemirror.watches.ended")
                                .description("Watches by why they ended")
                                .tags(scope.and("reason", end.text()))
                                .register(registry));
            }
        }

        private void bindLag(double quantile, Tags scope, MeterRegistry registry) {
            String text = quantile == 1 ? "1" : Double.toString(quantile);
            Gauge.builder("kubemirror.watch.lag", lags, all -> all.seconds(quantile))
                    .description("How long the oldest change waits that a watch has not sent")
                    .baseUnit("seconds")
                    .tags(scope.and("percentile", text))
                    .register(registry);
            Gauge.builder("kubemirror.watch.lag.changes", lags, all -> all.changes(quantile))
                    .description("How many changes wait that a watch has not sent")
                    .tags(scope.and("percentile", text))
                    .register(registry);
        }

        /** Records the start of a watch. */
        public void opened() {
            open.incrementAndGet();
        }

        /** Records the end of a watch. */
        public void closed(WatchEndReason end, Duration age) {
            durations.record(age);
            Objects.requireNonNull(ends.get(end)).increment();
            if (end == WatchEndReason.GAP) {
                gaps.increment();
            }
            open.decrementAndGet();
        }

        /** Returns a pin for a response that is about to be sent. */
        public SnapshotPin pin() {
            return new SnapshotPin(pinned);
        }

        /** Records what a watch has sent. */
        void delivered(int events, int bytes) {
            this.events.increment(events);
            this.bytes.increment(bytes);
        }
    }
}
