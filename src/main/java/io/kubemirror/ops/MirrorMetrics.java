package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Names;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * The metrics of one mirror and its reflector, tagged with {@code resource}, {@code namespace} and
 * {@code selector} (the last two empty for everything).
 *
 * <p>Nothing is counted here: the meters read the mirror and the reflector's counts when they are
 * scraped, and only what takes long and happens seldom is told them. They hold this binder only
 * weakly, so somebody must keep it.
 */
public final class MirrorMetrics implements MeterBinder {

    private static final List<Measure> MEASURES =
            List.of(
                    new Measure(
                            "kubemirror.objects",
                            null,
                            MirrorMetrics::objects,
                            "Objects in the mirror"),
                    new Measure(
                            "kubemirror.store",
                            "bytes",
                            metrics -> metrics.mirror.bytes(),
                            "Size of the stored objects"),
                    new Measure(
                            "kubemirror.window.changes",
                            null,
                            metrics -> metrics.mirror.windowChanges(),
                            "Changes that a watch can still ask for"),
                    new Measure(
                            "kubemirror.window",
                            "bytes",
                            metrics -> metrics.mirror.windowBytes(),
                            "Memory that only those changes need"),
                    new Measure(
                            "kubemirror.window.span",
                            "seconds",
                            MirrorMetrics::windowSeconds,
                            "Time between the oldest and the newest of those changes"),
                    new Measure(
                            "kubemirror.synced",
                            null,
                            metrics -> metrics.mirror.snapshot().isPresent() ? 1 : 0,
                            "1 from the first complete synchronisation on"),
                    new Measure(
                            "kubemirror.revision",
                            null,
                            MirrorMetrics::revision,
                            "Revision that the mirror is true at, as near as a double comes"),
                    new Measure(
                            "kubemirror.upstream.contact.age",
                            "seconds",
                            MirrorMetrics::secondsSinceContact,
                            "Time since the API server was last heard of, +Inf for never"));

    private final Mirror mirror;
    private final ReflectorCounts counts;
    private final InstantSource clock;

    /**
     * The metrics of a mirror.
     *
     * @param mirror the mirror
     * @param counts what its reflector counts
     * @param clock tells how long ago the API server was heard of
     */
    public MirrorMetrics(Mirror mirror, ReflectorCounts counts, InstantSource clock) {
        this.mirror = mirror;
        this.counts = counts;
        this.clock = clock;
    }

    /** A gauge of every mirror. */
    private record Measure(
            String meter,
            @Nullable String unit,
            ToDoubleFunction<MirrorMetrics> value,
            String description) {

        void bind(MirrorMetrics metrics, Tags tags, MeterRegistry registry) {
            Gauge.builder(meter, metrics, value)
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Tags scope = tags(mirror.scope());
        MEASURES.forEach(measure -> measure.bind(this, scope, registry));
        for (Phase phase : Phase.values()) {
            new Measure(
                            "kubemirror.upstream.phase",
                            null,
                            metrics -> metrics.mirror.upstream().phase() == phase ? 1 : 0,
                            "1 for what the reflector is doing, 0 for all else")
                    .bind(this, scope.and("phase", Names.kebab(phase)), registry);
        }
        for (Counter counter : Counter.values()) {
            bind(registry, scope, counter);
        }
        SpanTimers timers = new SpanTimers(registry, scope);
        counts.listen((span, duration) -> timers.of(span).record(duration));
    }

    private void bind(MeterRegistry registry, Tags scope, Counter counter) {
        CounterSeries series = CounterSeries.of(counter);
        CounterSeries.Family family = series.family();
        FunctionCounter.builder(family.meter, this, metrics -> metrics.counts.get(counter))
                .description(family.description)
                .tags(series.tags(scope))
                .register(registry);
    }

    private static Tags tags(Scope scope) {
        return Tags.of("resource", scope.resource().text())
                .and("namespace", scope.selection().namespace())
                .and("selector", scope.selectors());
    }

    private double objects() {
        return mirror.snapshot().map(Snapshot::size).orElse(0);
    }

    private double windowSeconds() {
        return mirror.windowSpan().toMillis() / 1000.0;
    }

    private double revision() {
        return Double.parseDouble(mirror.revision().digits());
    }

    private double secondsSinceContact() {
        Instant contact = mirror.upstream().contact();
        return contact.equals(Instant.EPOCH)
                ? Double.POSITIVE_INFINITY
                : Duration.between(contact, clock.instant()).toMillis() / 1000.0;
    }

    /**
     * The histograms of what takes a reflector time: lists, and the way of a change to here.
     *
     * <p>That way, the <em>sync lag</em>, is measured where it can be without a guess: for objects
     * that are created, from the time in their metadata to where readers have them. The time is the
     * API server's and cut off to whole seconds, so that a lag is up to a second too long, and what
     * the two clocks differ by is in it; hence buckets from 2 seconds on. It covers everything
     * between the two processes, and after an interruption of the watch what was created meanwhile.
     *
     * <p>Rejected: the times in {@code managedFields}, which tell of updates too, but not of all,
     * are the first that people drop, and would have to be read out of every object; the time from
     * the last byte of an event to its publication, which is microseconds on one thread and stays
     * so however late the event is; and to ask the server for its newest revision and wait for the
     * mirror to come to it, since where nothing happens in a collection it comes with a bookmark,
     * about a minute later. Whether a quiet collection is still followed, the age of the last
     * contact tells.
     */
    static final class SpanTimers {

        private static final Duration[] LISTS = seconds(1, 2, 5, 10, 30, 60, 300, 1_800);
        private static final Duration[] LAG = seconds(2, 5, 10, 30, 60, 300);

        private final Map<TimedSpan, Timer> timers = new EnumMap<>(TimedSpan.class);

        SpanTimers(MeterRegistry registry, Tags scope) {
            for (TimedSpan span : TimedSpan.values()) {
                timers.put(span, timer(span, scope).register(registry));
            }
        }

        /** Where the durations of a kind go. */
        Timer of(TimedSpan span) {
            return Objects.requireNonNull(timers.get(span));
        }

        private static Timer.Builder timer(TimedSpan span, Tags scope) {
            return switch (span) {
                case WATCH_LIST -> lists("watch-list", scope);
                case LIST -> lists("list-watch", scope);
                case LIST_WITH_WATCH -> lists("list-watch-parallel", scope);
                case SYNC_LAG ->
                        Timer.builder("kubemirror.sync.lag")
                                .description(
                                        "From the creation of objects to where readers have them")
                                .serviceLevelObjectives(LAG)
                                .tags(scope);
            };
        }

        private static Timer.Builder lists(String strategy, Tags scope) {
            return Timer.builder("kubemirror.upstream.list.duration")
                    .description("How long complete lists took")
                    .serviceLevelObjectives(LISTS)
                    .tags(scope.and("strategy", strategy));
        }

        private static Duration[] seconds(long... values) {
            return LongStream.of(values).mapToObj(Duration::ofSeconds).toArray(Duration[]::new);
        }
    }
}
