package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.api.watch.WatcherDirectory.WatcherInfo;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.HighWaterMark;
import io.kubemirror.model.Names;
import io.kubemirror.model.Scope;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;

import org.jspecify.annotations.Nullable;

/** Metrics of watches for each mirror: their number, and what they deliver. */
public final class WatchMeters implements MirrorSet.Listener {

    private static final double[] QUANTILES = {0.5, 0.9, 0.99, 1};

    private static final Duration[] DURATIONS = {
        Duration.ofSeconds(1),
        Duration.ofMinutes(1),
        Duration.ofMinutes(10),
        Duration.ofMinutes(30),
        Duration.ofHours(1)
    };

    /** By the name of the mirror: one that takes the place of another has its metrics. */
    private final Map<String, Meter> meters = new ConcurrentHashMap<>();

    private final MirrorSet mirrors;
    private final MeterRegistry registry;
    private final WatcherDirectory watchers;
    private final LongSupplier nanos;

    /**
     * Creates the metrics without watches.
     *
     * @param watchers the active watches
     * @param nanos a monotonic clock in nanoseconds
     */
    public WatchMeters(
            MirrorSet mirrors,
            MeterRegistry registry,
            WatcherDirectory watchers,
            LongSupplier nanos) {
        this.mirrors = mirrors;
        this.registry = registry;
        this.watchers = watchers;
        this.nanos = nanos;
        mirrors.listen(this);
    }

    @Override
    public void added(Mirror mirror) {
        meters.computeIfAbsent(
                mirror.scope().toString(), name -> meter(mirror.scope(), name, registry));
    }

    @Override
    public void removed(Mirror mirror) {
        if (!mirrors.has(mirror.scope())) {
            Optional.ofNullable(meters.remove(mirror.scope().toString())).ifPresent(Meter::remove);
        }
    }

    private Meter meter(Scope scope, String name, MeterRegistry target) {
        WatchLags lags =
                new WatchLags(
                        () ->
                                mirrors.stream()
                                        .filter(mirror -> mirror.scope().toString().equals(name))
                                        .flatMap(mirror -> watchers.of(mirror).stream())
                                        .map(WatcherInfo::backlog)
                                        .toList(),
                        nanos);
        return new Meter(Tags.of(scope.tags()), target, lags, nanos);
    }

    /**
     * Returns the metrics of a mirror's watches. A watch that still begins at a mirror that has
     * been removed is not counted.
     */
    public Meter of(Mirror mirror) {
        String name = mirror.scope().toString();
        Meter meter = meters.get(name);
        return meter == null ? meter(mirror.scope(), name, new CompositeMeterRegistry()) : meter;
    }

    /** The metrics of one mirror's watches. Thread-safe. */
    public static final class Meter {

        private final MeterRegistry registry;
        private final Tags scope;
        private final AtomicInteger open = new AtomicInteger();

        private final WatchLags lags;
        private final LongSupplier nanos;

        /** The delays of changes when they had been sent, in nanoseconds. */
        private final HighWaterMark longestLag = new HighWaterMark();

        private final Counter events;
        private final Counter bytes;
        private final Counter gaps;
        private final Timer durations;

        private final Map<EndReason, Counter> ended = new EnumMap<>(EndReason.class);
        private final List<io.micrometer.core.instrument.Meter> registered = new ArrayList<>();

        private Meter(Tags scope, MeterRegistry registry, WatchLags lags, LongSupplier nanos) {
            this.registry = registry;
            this.scope = scope;
            this.lags = lags;
            this.nanos = nanos;
            bindGauges();
            events =
                    counter(
                            "kubemirror.watch.events.delivered",
                            "Events sent to watching clients, bookmarks included");
            bytes = counter("kubemirror.watch.bytes.delivered", "Bytes sent to watching clients");
            gaps =
                    counter(
                            "kubemirror.watch.gaps",
                            "Watches ended with 410 because they would have skipped changes");
            durations = timer("kubemirror.watch.duration", "Duration of watches", DURATIONS);
            for (EndReason end : EndReason.values()) {
                String name = "kubemirror.watches.ended";
                ended.put(
                        end, counter(name, "Ended watches by reason", "reason", Names.kebab(end)));
            }
        }

        private void bindGauges() {
            gauge(
                    "kubemirror.watch.lag.max",
                    "Largest recent age of a change when a watch had sent it",
                    "seconds",
                    scope,
                    this::longestLag);
            for (double quantile : QUANTILES) {
                bindLag(quantile);
            }
            gauge("kubemirror.watches.open", "[KEY] Open watches", null, scope, open::get);
        }

        private void remove() {
            registered.forEach(registry::remove);
        }

        private void bindLag(double quantile) {
            Tags tags = scope.and("percentile", quantile == 1 ? "1" : Double.toString(quantile));
            gauge(
                    "kubemirror.watch.lag",
                    "Age of the oldest change that a watch has not sent yet",
                    "seconds",
                    tags,
                    () -> lags.seconds(quantile));
            gauge(
                    "kubemirror.watch.lag.changes",
                    "Number of changes that a watch has not sent yet",
                    null,
                    tags,
                    () -> lags.changes(quantile));
        }

        private void gauge(
                String name,
                String description,
                @Nullable String unit,
                Tags tags,
                Supplier<Number> value) {
            Gauge.Builder<?> gauge =
                    Gauge.builder(name, value).description(description).baseUnit(unit).tags(tags);
            registered.add(gauge.register(registry));
        }

        private Counter counter(String name, String description, String... tags) {
            return keep(
                    Counter.builder(name)
                            .description(description)
                            .tags(scope.and(tags))
                            .register(registry));
        }

        private Timer timer(String name, String description, Duration... objectives) {
            return keep(
                    Timer.builder(name)
                            .description(description)
                            .serviceLevelObjectives(objectives)
                            .tags(scope)
                            .register(registry));
        }

        private <T extends io.micrometer.core.instrument.Meter> T keep(T meter) {
            registered.add(meter);
            return meter;
        }

        /** Records the start of a watch. */
        public void opened() {
            open.incrementAndGet();
        }

        /** Records the end of a watch. */
        public void closed(EndReason end, Duration age) {
            durations.record(age);
            Objects.requireNonNull(ended.get(end)).increment();
            if (end == EndReason.GAP) {
                gaps.increment();
            }
            open.decrementAndGet();
        }

        /** Records what a watch has sent. */
        void delivered(FrameBatch batch) {
            events.increment(batch.events());
            bytes.increment(batch.bytes());
            if (batch.hasChanges()) {
                longestLag.record(nanos.getAsLong() - batch.oldest());
            }
        }

        /** Includes what watches have not sent yet, however long they take. */
        private double longestLag() {
            long waiting = Math.round(lags.seconds(1) * 1e9);
            return longestLag.get(waiting, nanos.getAsLong()) / 1e9;
        }
    }

    /**
     * Statistics of how far the watches of one mirror lag behind it.
     *
     * <p>The lags are collected on demand and cached for a second. A scrape of several values
     * therefore visits each watch once, and watches do no work for the statistics. Thread-safe.
     *
     * <p>Rejected: a histogram of delivery delays, which would cost more than the delivery of a
     * small event and would not show a client that accepts no bytes at all. What a burst between
     * two samples delayed is in a {@link HighWaterMark}: one reading of the clock for each batch.
     */
    static final class WatchLags {

        private static final long KEPT = Duration.ofSeconds(1).toNanos();

        private final Supplier<List<Backlog>> watches;
        private final LongSupplier nanos;
        private List<Backlog> sample = List.of();
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

        /**
         * Returns the age of the oldest unsent change, in seconds.
         *
         * @param quantile the fraction of watches that lag at most this much
         */
        double seconds(double quantile) {
            return quantile(quantile, backlog -> backlog.age().toMillis() / 1000.0);
        }

        /** Returns the number of unsent changes. */
        double changes(double quantile) {
            return quantile(quantile, Backlog::changes);
        }

        private double quantile(double quantile, ToDoubleFunction<Backlog> lag) {
            double[] ascending = sample().stream().mapToDouble(lag).sorted().toArray();
            int rank = (int) Math.ceil(quantile * ascending.length);
            return ascending.length == 0 ? 0 : ascending[Math.max(0, rank - 1)];
        }

        private synchronized List<Backlog> sample() {
            long now = nanos.getAsLong();
            if (now - taken >= KEPT) {
                sample = watches.get();
                taken = now;
            }
            return sample;
        }
    }
}
