package io.kubemirror.api.watch;

import io.kubemirror.api.read.SnapshotPin;
import io.kubemirror.api.watch.WatchSession.EndReason;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

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
            Meter meter = new Meter(Tags.of(mirror.scope().tags()), registry, lags);
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
        private final Map<EndReason, Counter> ends = new EnumMap<>(EndReason.class);

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
                    counter(
                            "kubemirror.watch.events.delivered",
                            "Events sent to watching clients, bookmarks included",
                            scope,
                            registry);
            bytes =
                    counter(
                            "kubemirror.watch.bytes.delivered",
                            "Bytes sent to watching clients",
                            scope,
                            registry);
            gaps =
                    counter(
                            "kubemirror.watch.gaps",
                            "Watches ended by 410 before they skipped changes",
                            scope,
                            registry);
            durations =
                    Timer.builder("kubemirror.watch.duration")
                            .description("How long watches were open")
                            .serviceLevelObjectives(DURATIONS)
                            .tags(scope)
                            .register(registry);
            for (EndReason end : EndReason.values()) {
                Tags reason = scope.and("reason", end.text());
                ends.put(
                        end,
                        counter(
                                "kubemirror.watches.ended",
                                "Watches by why they ended",
                                reason,
                                registry));
            }
        }

        private static Counter counter(
                String name, String description, Tags tags, MeterRegistry registry) {
            return Counter.builder(name).description(description).tags(tags).register(registry);
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
        public void closed(EndReason end, Duration age) {
            durations.record(age);
            Objects.requireNonNull(ends.get(end)).increment();
            if (end == EndReason.GAP) {
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

    /**
     * Statistics of how far the watches of one mirror lag behind it.
     *
     * <p>The lags are collected on demand and cached for a second. A scrape of several values
     * therefore visits each watch once, and watches do no work for the statistics. Thread-safe.
     *
     * <p>Rejected: a histogram of delivery delays, which would cost more than the delivery of a
     * small event and would not show a client that accepts no bytes at all.
     */
    static final class WatchLags {

        private static final long KEPT = Duration.ofSeconds(1).toNanos();

        private final Supplier<List<Backlog>> watches;
        private final LongSupplier nanos;
        private LagSample sample = new LagSample(new double[0], new double[0]);
        private long taken;

        /**
         * Creates the statistics.
         *
         * @param watches provides the backlog of each watch
         * @param nanos a monotonic clock in nanoseconds
         */
        WatchLags(Supplier<List<Backlog>> watches, LongSupplier nanos) {
            this.watches = watches;
            this.nanos = nanos;
            this.taken = nanos.getAsLong() - KEPT;
        }

        /** Lags in ascending order. */
        @SuppressWarnings("ArrayRecordComponent")
        private record LagSample(double[] seconds, double[] changes) {

            private static LagSample of(List<Backlog> all) {
                return new LagSample(
                        sorted(all, backlog -> backlog.age().toMillis() / 1000.0),
                        sorted(all, Backlog::changes));
            }

            private static double[] sorted(List<Backlog> all, ToDoubleFunction<Backlog> number) {
                double[] values = all.stream().mapToDouble(number).toArray();
                Arrays.sort(values);
                return values;
            }
        }

        /**
         * Returns the age of the oldest unsent change, in seconds.
         *
         * @param quantile the fraction of watches that lag at most this much
         */
        double seconds(double quantile) {
            return quantile(sample().seconds(), quantile);
        }

        /** Returns the number of unsent changes. */
        double changes(double quantile) {
            return quantile(sample().changes(), quantile);
        }

        private synchronized LagSample sample() {
            long now = nanos.getAsLong();
            if (now - taken >= KEPT) {
                sample = LagSample.of(watches.get());
                taken = now;
            }
            return sample;
        }

        private static double quantile(double[] ascending, double quantile) {
            int rank = (int) Math.ceil(quantile * ascending.length);
            return ascending.length == 0 ? 0 : ascending[Math.max(0, rank - 1)];
        }
    }
}
