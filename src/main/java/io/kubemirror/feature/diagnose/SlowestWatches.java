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
 * Shows in metrics which clients are slow: the changes that the watches that are furthest behind
 * have not been sent. Computed for each scrape, so that nothing is counted while events are sent.
 * Watches that are not behind have no series.
 *
 * <p>It is a collector of Prometheus, because Micrometer keeps a series until somebody removes it.
 */
final class SlowestWatches implements Collector {

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

    @Override
    public MetricSnapshot collect() {
        // Two watches of a client are one series, that of the slower one.
        Map<Labels, Long> behind = new HashMap<>();
        for (Mirror mirror : mirrors.stream().toList()) {
            for (WatcherInfo watcher : watchers.of(mirror)) {
                if (watcher.backlog().changes() > 0) {
                    behind.merge(labels(mirror, watcher), watcher.backlog().changes(), Math::max);
                }
            }
        }
        GaugeSnapshot.Builder snapshot =
                GaugeSnapshot.builder()
                        .name("kubemirror_watch_pending_changes")
                        .help("Changes that the slowest watches have not been sent");
        behind.entrySet().stream()
                .sorted(Map.Entry.<Labels, Long>comparingByValue().reversed())
                .limit(MAX)
                .forEach(entry -> snapshot.dataPoint(point(entry.getKey(), entry.getValue())));
        return snapshot.build();
    }

    private static GaugeDataPointSnapshot point(Labels labels, long changes) {
        return GaugeDataPointSnapshot.builder().labels(labels).value((double) changes).build();
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
