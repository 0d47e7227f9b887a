package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.Scope;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of one mirror and its reflector, tagged with {@code resource}, {@code namespace} and
 * {@code selector} (the last two empty for everything).
 *
 * <p>Nothing is counted here: the meters read the mirror and the reflector's counts when they are
 * scraped, and only what takes long and happens seldom is told them. They hold this binder only
 * weakly, so somebody must keep it.
 */
public final class MirrorMetrics implements MeterBinder {

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

    @Override
    public void bindTo(MeterRegistry registry) {
        Tags scope = tags(mirror.scope());
        bindContent(registry, scope);
        bindUpstream(registry, scope);
        for (Phase phase : Phase.values()) {
            gauge(
                            "kubemirror.upstream.phase",
                            metrics -> metrics.mirror.upstream().phase() == phase ? 1 : 0)
                    .description("1 for what the reflector is doing, 0 for all else")
                    .tags(scope.and("phase", MirrorsHealthIndicator.name(phase)))
                    .register(registry);
        }
        for (Counter counter : Counter.values()) {
            bind(registry, scope, counter);
        }
        SpanTimers timers = new SpanTimers(registry, scope);
        counts.listen((span, duration) -> timers.of(span).record(duration));
    }

    private void bindContent(MeterRegistry registry, Tags scope) {
        gauge("kubemirror.objects", MirrorMetrics::objects)
                .description("Objects in the mirror")
                .tags(scope)
                .register(registry);
        gauge("kubemirror.store", metrics -> metrics.mirror.bytes())
                .description("Size of the stored objects")
                .baseUnit("bytes")
                .tags(scope)
                .register(registry);
        gauge("kubemirror.window.changes", metrics -> metrics.mirror.windowChanges())
                .description("Changes that a watch can still ask for")
                .tags(scope)
                .register(registry);
        gauge("kubemirror.window", metrics -> metrics.mirror.windowBytes())
                .description("Memory that only those changes need")
                .baseUnit("bytes")
                .tags(scope)
                .register(registry);
        gauge("kubemirror.window.span", MirrorMetrics::windowSeconds)
                .description("Time between the oldest and the newest of those changes")
                .baseUnit("seconds")
                .tags(scope)
                .register(registry);
    }

    private void bindUpstream(MeterRegistry registry, Tags scope) {
        gauge("kubemirror.synced", metrics -> metrics.mirror.snapshot().isPresent() ? 1 : 0)
                .description("1 from the first complete synchronisation on")
                .tags(scope)
                .register(registry);
        gauge("kubemirror.revision", MirrorMetrics::revision)
                .description("Revision that the mirror is true at, as near as a double comes")
                .tags(scope)
                .register(registry);
        gauge("kubemirror.upstream.contact.age", MirrorMetrics::secondsSinceContact)
                .description("Time since the API server was last heard of, +Inf for never")
                .baseUnit("seconds")
                .tags(scope)
                .register(registry);
    }

    private void bind(MeterRegistry registry, Tags scope, Counter counter) {
        CounterSeries series = CounterSeries.of(counter);
        CounterSeries.Family family = series.family();
        FunctionCounter.builder(family.meter(), this, metrics -> metrics.counts.get(counter))
                .description(family.description())
                .tags(series.tags(scope))
                .register(registry);
    }

    private Gauge.Builder<MirrorMetrics> gauge(String name, ToDoubleFunction<MirrorMetrics> value) {
        return Gauge.builder(name, this, value);
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
}
