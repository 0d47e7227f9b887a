package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.WatcherDirectory;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.Names;
import io.kubemirror.ops.MirrorDiagnosis.AccessStatus;
import io.kubemirror.ops.MirrorDiagnosis.ContentStatus;
import io.kubemirror.ops.MirrorDiagnosis.HistoryStatus;
import io.kubemirror.ops.MirrorDiagnosis.LastError;
import io.kubemirror.ops.MirrorDiagnosis.LastSync;
import io.kubemirror.ops.MirrorDiagnosis.MirrorState;
import io.kubemirror.ops.MirrorDiagnosis.SyncStatus;
import io.kubemirror.ops.MirrorDiagnosis.WatcherStatus;
import io.kubemirror.ops.MirrorDiagnosis.Watchers;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorStatus;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Creates the diagnosis of one mirror from its state, its reflector, and its watches. */
final class MirrorInspector {

    /** Maximum number of watches to list, the slowest first. */
    private static final int SHOWN = 50;

    private final WatcherDirectory watchers;
    private final InstantSource clock;

    MirrorInspector(WatcherDirectory watchers, InstantSource clock) {
        this.watchers = watchers;
        this.clock = clock;
    }

    /**
     * Creates the diagnosis of a mirror.
     *
     * @param access what the API server permits, by verb
     */
    MirrorDiagnosis of(DiagnosisInput.Mirrored mirrored, Map<String, AccessStatus> access) {
        Mirror mirror = mirrored.mirror();
        ReflectorStatus status = mirrored.status().get();
        return new MirrorDiagnosis(
                mirror.scope().toString(),
                path(mirror),
                state(mirror, status),
                content(mirror),
                sync(status),
                access,
                window(mirror),
                watchers(mirror),
                counts(mirrored));
    }

    private static @Nullable String path(Mirror mirror) {
        String namespace = mirror.scope().selection().namespace();
        return mirror.type()
                .map(
                        type ->
                                namespace.isEmpty()
                                        ? type.collectionPath()
                                        : type.collectionPath(namespace))
                .orElse(null);
    }

    private MirrorState state(Mirror mirror, ReflectorStatus status) {
        UpstreamStatus upstream = mirror.upstream();
        boolean never = upstream.contact().equals(Instant.EPOCH);
        return new MirrorState(
                Names.kebab(upstream.phase()),
                upstream.since(),
                mirror.snapshot().isPresent() || upstream.phase() == Phase.ABSENT,
                never ? null : upstream.contact(),
                never ? null : seconds(Duration.between(upstream.contact(), clock.instant())),
                upstream.problem().isEmpty() ? null : upstream.problem(),
                status.trouble()
                        .map(trouble -> new LastError(trouble.at(), trouble.problem()))
                        .orElse(null));
    }

    private static ContentStatus content(Mirror mirror) {
        int objects = mirror.snapshot().map(Snapshot::size).orElse(0);
        return new ContentStatus(objects, mirror.bytes(), mirror.revision().digits());
    }

    private static SyncStatus sync(ReflectorStatus status) {
        return new SyncStatus(Names.kebab(status.strategy()), status.lessons(), last(status));
    }

    private static @Nullable LastSync last(ReflectorStatus status) {
        return status.synchronisation()
                .map(last -> new LastSync(last.how(), last.at(), seconds(last.duration())))
                .orElse(null);
    }

    private static HistoryStatus window(Mirror mirror) {
        return new HistoryStatus(
                mirror.windowChanges(),
                mirror.windowBytes(),
                seconds(mirror.windowSpan()),
                mirror.floor().digits());
    }

    private Watchers watchers(Mirror mirror) {
        List<WatcherStatus> all =
                watchers.of(mirror).stream()
                        .map(MirrorInspector::watcher)
                        .sorted(
                                Comparator.comparingLong(WatcherStatus::behind)
                                        .reversed()
                                        .thenComparing(WatcherStatus::since))
                        .toList();
        int waiting = (int) all.stream().filter(watcher -> watcher.behind() > 0).count();
        List<WatcherStatus> shown = all.stream().limit(SHOWN).toList();
        long most = shown.isEmpty() ? 0 : shown.getFirst().behind();
        return new Watchers(all.size(), waiting, most, shown, all.size() - shown.size());
    }

    private static WatcherStatus watcher(WatcherInfo follower) {
        return new WatcherStatus(
                follower.client(),
                follower.agent().isEmpty() ? null : follower.agent(),
                follower.selection().isEmpty() ? null : follower.selection(),
                follower.since(),
                follower.revision().digits(),
                follower.backlog().changes(),
                seconds(follower.backlog().age()),
                follower.events(),
                follower.bytes());
    }

    private static Map<String, Long> counts(DiagnosisInput.Mirrored mirrored) {
        Map<String, Long> counts = new TreeMap<>();
        for (Counter counter : Counter.values()) {
            CounterSeries series = CounterSeries.of(counter);
            String name = series.family().meter + "." + series.tagValue();
            long count = mirrored.counts().applyAsLong(counter);
            if (count > 0) {
                counts.put(name.substring("kubemirror.".length()), count);
            }
        }
        return counts;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
