package io.kubemirror.feature.diagnose;

import module java.base;

import io.kubemirror.api.watch.WatcherDirectory;
import io.kubemirror.api.watch.WatcherDirectory.WatcherInfo;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

/**
 * Shows in metrics which clients are slow: the watches that are furthest behind, and for how long.
 * Computed for each scrape, so that nothing is counted while events are sent.
 *
 * <p>It is a collector of Prometheus, because Micrometer keeps a series until it is removed.
 */
final class SlowestWatches implements Collector {

    /** In a burst, most watches are behind for a moment, and would have a series in turn. */
    static final Duration MIN_AGE = Duration.ofSeconds(1);

    /** The maximum number of series. */
    static final int MAX = 5;

    /** Clients can send an agent of any length; this is enough to tell them apart. */
    static final int MAX_TEXT = 60;

    private final MirrorSet mirrors;
    private final WatcherDirectory watchers;

    SlowestWatches(MirrorSet mirrors, WatcherDirectory watchers) {
        this.mirrors = mirrors;
        this.watchers = watchers;
    }

    /** A watch of a mirror. */
    private record MirrorWatcher(Mirror mirror, WatcherInfo watcher) {

        Duration age() {
            return watcher.backlog().age();
        }
    }

    @Override
    public MetricSnapshot collect() {
        GaugeSnapshot.Builder snapshot =
                GaugeSnapshot.builder()
                        .name("kubemirror_watch_behind_seconds")
                        .help(
                                "Age of the oldest change that the slowest watches have not been"
                                        + " sent");
        Set<Labels> taken = new HashSet<>();
        Iterator<MirrorWatcher> slowest = slowest().iterator();
        while (taken.size() < MAX && slowest.hasNext()) {
            MirrorWatcher next = slowest.next();
            Labels labels = labels(next.mirror(), next.watcher());
            // Several watches of a client are one series, that of the slowest.
            if (taken.add(labels)) {
                snapshot.dataPoint(point(labels, next.age()));
            }
        }
        return snapshot.build();
    }

    private Stream<MirrorWatcher> slowest() {
        return mirrors.stream()
                .flatMap(
                        mirror ->
                                watchers.of(mirror).stream()
                                        .map(watcher -> new MirrorWatcher(mirror, watcher)))
                .filter(one -> one.age().compareTo(MIN_AGE) >= 0)
                .sorted(Comparator.comparing(MirrorWatcher::age).reversed());
    }

    private static GaugeDataPointSnapshot point(Labels labels, Duration age) {
        return GaugeDataPointSnapshot.builder().labels(labels).value(age.toMillis() / 1e3).build();
    }

    /** A client keeps its series when it connects again, from another port. */
    private static Labels labels(Mirror mirror, WatcherInfo watcher) {
        String address = watcher.client().replaceFirst(":[0-9]+$", "");
        return Labels.of(mirror.scope().tags())
                .merge(
                        Labels.of(
                                "client", shortened(address),
                                "agent", shortened(watcher.agent()),
                                "user", shortened(watcher.user())));
    }

    private static String shortened(String text) {
        return text.substring(0, Math.min(text.length(), MAX_TEXT));
    }
}
