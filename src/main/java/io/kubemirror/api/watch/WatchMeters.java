package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Names;
import io.kubemirror.model.Scope;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.TimeWindowMax;

import org.jspecify.annotations.Nullable;

/**
 * Metrics of watches for each mirror: their number, and what they deliver. How far they lag is
 * asked for with each scrape, so watches do no work for it.
 *
 * <p>Rejected: a histogram of delivery delays, which would cost more than the delivery of a small
 * event and would not show a client that accepts no bytes at all.
 */
public final class WatchMeters implements MirrorSet.Listener {

    private static final Duration[] DURATIONS = {
        Duration.ofSeconds(1),
        Duration.ofMinutes(1),
        Duration.ofMinutes(10),
        Duration.ofMinutes(30),
        Duration.ofHours(1)
    };

    /** A delay is visible for two to three of these, so that scrapers do not miss it. */
    private static final Duration PERIOD = Duration.ofMinutes(1);

    /** By the name of the mirror: one that takes the place of another has its metrics. */
    private final Map<String, Meter> meters = new ConcurrentHashMap<>();

    private final MirrorSet mirrors;
    private final MeterRegistry registry;
    private final WatchRegistry watches;
    private final LongSupplier nanos;

    /**
     * Creates the metrics without watches.
     *
     * @param watches the active watches
     * @param nanos a monotonic clock in nanoseconds
     */
    public WatchMeters(
            MirrorSet mirrors, MeterRegistry registry, WatchRegistry watches, LongSupplier nanos) {
        this.mirrors = mirrors;
        this.registry = registry;
        this.watches = watches;
        this.nanos = nanos;
        mirrors.listen(this);
    }

    @Override
    public void added(Mirror mirror) {
        of(mirror);
    }

    private Meter meter(Scope scope, String name) {
        DoubleSupplier lag =
                () ->
                        mirrors.stream()
                                .filter(mirror -> mirror.scope().toString().equals(name))
                                .flatMap(mirror -> watches.of(mirror).stream())
                                .mapToDouble(WatchRegistry.WatcherInfo::lateSeconds)
                                .max()
                                .orElse(0);
        return new Meter(Tags.of(scope.tags()), registry, lag, nanos);
    }

    /** Returns the metrics of a mirror's watches. */
    public Meter of(Mirror mirror) {
        return meters.computeIfAbsent(
                mirror.scope().toString(), name -> meter(mirror.scope(), name));
    }

    /** The metrics of one mirror's watches. Thread-safe. */
    public static final class Meter {

        private final MeterRegistry registry;
        private final Tags scope;
        private final AtomicInteger open = new AtomicInteger();

        /** The age of the oldest change that a watch has not sent, in seconds. */
        private final DoubleSupplier lag;

        private final LongSupplier nanos;

        /** The delays of changes when they had been sent. */
        private final TimeWindowMax longestLag;

        private final Counter events;
        private final Counter bytes;
        private final Timer durations;

        private final Map<EndReason, Counter> ended = new EnumMap<>(EndReason.class);

        private Meter(Tags scope, MeterRegistry registry, DoubleSupplier lag, LongSupplier nanos) {
            this.registry = registry;
            this.scope = scope;
            this.lag = lag;
            this.nanos = nanos;
            this.longestLag = new TimeWindowMax(registry.config().clock(), PERIOD.toMillis(), 3);
            bindGauges();
            events =
                    counter(
                            "kubemirror.watch.events.delivered",
                            "Events sent to watching clients, bookmarks included");
            bytes = counter("kubemirror.watch.bytes.delivered", "Bytes sent to watching clients");
            durations =
                    Timer.builder("kubemirror.watch.duration")
                            .description("Duration of watches")
                            .serviceLevelObjectives(DURATIONS)
                            .tags(scope)
                            .register(registry);
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
                    this::longestLag);
            gauge(
                    "kubemirror.watch.lag",
                    "Age of the oldest change that a watch has not sent yet",
                    "seconds",
                    lag::getAsDouble);
            gauge("kubemirror.watches.open", "[KEY] Open watches", null, open::get);
        }

        private void gauge(
                String name, String description, @Nullable String unit, Supplier<Number> value) {
            Gauge.builder(name, value)
                    .description(description)
                    .baseUnit(unit)
                    .tags(scope)
                    .register(registry);
        }

        private Counter counter(String name, String description, String... tags) {
            return Counter.builder(name)
                    .description(description)
                    .tags(scope.and(tags))
                    .register(registry);
        }

        /** Records the start of a watch. */
        public void opened() {
            open.incrementAndGet();
        }

        /** Records the end of a watch. */
        public void closed(EndReason end, Duration age) {
            durations.record(age);
            Objects.requireNonNull(ended.get(end)).increment();
            open.decrementAndGet();
        }

        /** Records what a watch has sent. */
        void delivered(FrameBatch batch) {
            events.increment(batch.events());
            bytes.increment(batch.bytes());
            if (batch.hasChanges()) {
                long oldest = nanos.getAsLong() - batch.oldest();
                longestLag.record((double) oldest, TimeUnit.NANOSECONDS);
            }
        }

        /** Includes what watches have not sent yet, however long they take. */
        private double longestLag() {
            return Math.max(lag.getAsDouble(), longestLag.poll(TimeUnit.SECONDS));
        }
    }
}
