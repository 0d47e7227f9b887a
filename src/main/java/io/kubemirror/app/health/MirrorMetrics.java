package io.kubemirror.app.health;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.WindowCounts.WindowEvent;
import io.kubemirror.model.HighWaterMark;
import io.kubemirror.model.Names;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * Publishes the metrics of one mirror and its reflector, tagged with {@code resource}, {@code
 * namespace}, and {@code selector}. The last two are empty if the mirror is not restricted.
 *
 * <p>Meters read the mirror and the counters of the reflector when they are scraped. Only durations
 * are recorded as they occur. Meters refer to this binder weakly, so the caller must keep it.
 */
final class MirrorMetrics {

    /**
     * A small collection takes a millisecond or two, 100,000 objects take seconds, and millions
     * behind a slow link half an hour: six decades, in steps of four to six, which tell a list that
     * became five times slower. The bounds up to a minute are among those of requests, so that a
     * list can be compared with those that kubemirror serves.
     */
    private static final Duration[] LISTS =
            millis(1, 5, 25, 100, 500, 2_500, 10_000, 60_000, 300_000, 1_800_000);

    private static final Duration[] LAG = millis(2_000, 5_000, 10_000, 30_000, 60_000, 300_000);

    private final Mirror mirror;
    private final ReflectorCounts counts;
    private final InstantSource clock;
    private final MeterRegistry registry;
    private final List<Meter> meters = new ArrayList<>();

    /**
     * Registers the metrics.
     *
     * @param mirror the mirror
     * @param counts the counters of its reflector
     * @param clock measures the age of the last contact
     */
    MirrorMetrics(
            Mirror mirror, ReflectorCounts counts, InstantSource clock, MeterRegistry registry) {
        this.mirror = mirror;
        this.counts = counts;
        this.clock = clock;
        this.registry = registry;
        bind();
    }

    /** Removes the metrics. */
    void remove() {
        meters.forEach(registry::remove);
    }

    private void bind() {
        Tags scope = Tags.of(mirror.scope().tags());
        gauges().forEach(gauge -> meters.add(gauge.tags(scope).register(registry)));
        for (Phase phase : Phase.values()) {
            Tags tags = scope.and("phase", Names.kebab(phase));
            meters.add(
                    gauge(
                                    "kubemirror.upstream.phase",
                                    metrics -> metrics.mirror.upstream().phase() == phase ? 1 : 0,
                                    "1 for the phase of the reflector, 0 for other phases")
                            .tags(tags)
                            .register(registry));
        }
        for (Counter counter : Counter.values()) {
            meters.add(bind(scope, counter));
        }
        for (WindowEvent event : WindowEvent.values()) {
            meters.add(bind(scope, event));
        }
        meters.add(readAhead("frames", counts.readAheadFrames()).tags(scope).register(registry));
        meters.add(readAhead("bytes", counts.readAheadBytes()).tags(scope).register(registry));
        Map<TimedSpan, Timer> timers = new EnumMap<>(TimedSpan.class);
        for (TimedSpan span : TimedSpan.values()) {
            timers.put(span, timer(span, scope).register(registry));
        }
        meters.addAll(timers.values());
        counts.listen(
                (span, duration) -> Objects.requireNonNull(timers.get(span)).record(duration));
    }

    private List<Gauge.Builder<MirrorMetrics>> gauges() {
        return List.of(
                gauge("kubemirror.objects", MirrorMetrics::objects, "Objects in the mirror"),
                gauge(
                                "kubemirror.store",
                                metrics -> metrics.mirror.bytes(),
                                "Size of the stored objects")
                        .baseUnit("bytes"),
                gauge(
                        "kubemirror.window.changes",
                        metrics -> metrics.mirror.windowChanges(),
                        "Changes in the history, from which watches can resume"),
                gauge(
                        "kubemirror.window.capacity.changes",
                        metrics -> metrics.mirror.windowCapacity(),
                        "Changes that the history has room for at present"),
                gauge(
                                "kubemirror.window",
                                metrics -> metrics.mirror.windowBytes(),
                                "Memory that only these changes use")
                        .baseUnit("bytes"),
                gauge(
                                "kubemirror.window.span",
                                metrics -> metrics.mirror.windowSpan().toMillis() / 1000.0,
                                "Time between the oldest and the newest of these changes")
                        .baseUnit("seconds"),
                gauge(
                        "kubemirror.synced",
                        metrics -> metrics.mirror.snapshot().isPresent() ? 1 : 0,
                        "1 from the first complete synchronization on"),
                gauge(
                        "kubemirror.revision",
                        metrics -> Double.parseDouble(metrics.mirror.revision().digits()),
                        "Revision of the mirror, rounded to a double"),
                gauge(
                                "kubemirror.upstream.contact.age",
                                MirrorMetrics::secondsSinceContact,
                                "Time since the last contact with the API server, +Inf for never")
                        .baseUnit("seconds"));
    }

    private Gauge.Builder<MirrorMetrics> gauge(
            String meter, ToDoubleFunction<MirrorMetrics> value, String description) {
        return Gauge.builder(meter, this, value).description(description);
    }

    private Meter bind(Tags scope, Counter counter) {
        CounterSeries series = CounterSeries.of(counter);
        CounterSeries.Family family = series.family();
        return FunctionCounter.builder(family.meter, this, metrics -> metrics.counts.get(counter))
                .description(family.description)
                .tags(series.tags(scope))
                .register(registry);
    }

    /** An event is named after the direction of a resize, or after the cause of an eviction. */
    private Meter bind(Tags scope, WindowEvent event) {
        String name = Names.kebab(event);
        boolean eviction = name.startsWith("evicted-");
        return FunctionCounter.builder(
                        eviction ? "kubemirror.window.evictions" : "kubemirror.window.resizes",
                        this,
                        metrics -> metrics.mirror.windowCounts().get(event))
                .description(
                        eviction
                                ? "Changes that left the history by cause"
                                : "Changes of the capacity of the history")
                .tags(scope)
                .tag(eviction ? "cause" : "direction", name.replace("evicted-", ""))
                .register(registry);
    }

    private Gauge.Builder<HighWaterMark> readAhead(String unit, HighWaterMark mark) {
        return Gauge.builder(
                        "kubemirror.upstream.read.ahead.max." + unit,
                        mark,
                        most -> most.get(0, registry.config().clock().monotonicTime()))
                .description("Largest recent read-ahead of a watch beside a list");
    }

    private double objects() {
        return mirror.snapshot().map(Snapshot::size).orElse(0);
    }

    private double secondsSinceContact() {
        Instant contact = mirror.upstream().contact();
        return contact.equals(Instant.EPOCH)
                ? Double.POSITIVE_INFINITY
                : Duration.between(contact, clock.instant()).toMillis() / 1000.0;
    }

    /**
     * Returns a histogram of the reflector: the duration of lists, or the sync lag.
     *
     * <p>The <em>sync lag</em> is the time from a change that the server dates until readers have
     * it. It includes the API server, the network, and interruptions of the watch. The server's
     * times are truncated to seconds, so a lag is up to a second too long, and it includes the
     * difference of the two clocks. The smallest bucket is therefore 2 seconds. Rejected
     * alternatives: decisions.md#lag-is-measured-on-dated-changes.
     */
    private static Timer.Builder timer(TimedSpan span, Tags scope) {
        return switch (span) {
            case WATCH_LIST -> lists("watch-list", scope);
            case LIST -> lists("list-watch", scope);
            case LIST_WITH_WATCH -> lists("list-watch-parallel", scope);
            case SYNC_LAG ->
                    Timer.builder("kubemirror.sync.lag")
                            .description(
                                    "Delay from a change that the server dates until clients can"
                                            + " read it")
                            .serviceLevelObjectives(LAG)
                            .tags(scope);
        };
    }

    private static Timer.Builder lists(String strategy, Tags scope) {
        return Timer.builder("kubemirror.upstream.list.duration")
                .description("Duration of complete synchronizations")
                .serviceLevelObjectives(LISTS)
                .tags(scope.and("strategy", strategy));
    }

    private static Duration[] millis(long... values) {
        return LongStream.of(values).mapToObj(Duration::ofMillis).toArray(Duration[]::new);
    }
}
