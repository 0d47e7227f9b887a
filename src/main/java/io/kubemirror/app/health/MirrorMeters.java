package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.reflector.ReflectorCounts;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Publishes the metrics of the present mirrors in one registry, and keeps them, because the meters
 * refer to them weakly. A mirror that has been removed leaves no series.
 *
 * <p>A mirror that takes the place of another has its series, which go on.
 */
public final class MirrorMeters implements MirrorSet.Listener {

    private final MirrorSet mirrors;
    private final Function<Mirror, ReflectorCounts> counts;
    private final InstantSource clock;
    private final MeterRegistry registry;

    /** By the name of the mirror. The set calls this listener once at a time. */
    private final Map<String, MirrorMetrics> metrics = new HashMap<>();

    /**
     * Creates the metrics without mirrors.
     *
     * @param mirrors the set that this listens to
     * @param counts returns the counters of a mirror's reflector
     */
    public MirrorMeters(
            MirrorSet mirrors,
            Function<Mirror, ReflectorCounts> counts,
            InstantSource clock,
            MeterRegistry registry) {
        this.mirrors = mirrors;
        this.counts = counts;
        this.clock = clock;
        this.registry = registry;
    }

    @Override
    public void added(Mirror mirror) {
        drop(mirror);
        metrics.put(
                mirror.scope().toString(),
                new MirrorMetrics(mirror, counts.apply(mirror), clock, registry));
    }

    @Override
    public void removed(Mirror mirror) {
        if (!mirrors.has(mirror.scope())) {
            drop(mirror);
        }
    }

    private void drop(Mirror mirror) {
        MirrorMetrics before = metrics.remove(mirror.scope().toString());
        if (before != null) {
            before.remove();
        }
    }
}
