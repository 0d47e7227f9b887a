package io.kubemirror.feature.diagnose;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.watch.WatcherDirectory.WatcherInfo;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;

import org.junit.jupiter.api.Test;

/** Tests which clients metrics call slow. */
class SlowestWatchesTest {

    private final Mirror pods = Mirrors.pods();
    private final List<WatcherInfo> watchers = new ArrayList<>();
    private final SlowestWatches slowest =
            new SlowestWatches(MirrorSets.of(List.of(pods)), _ -> watchers);

    @Test
    void watch_that_is_behind_has_a_series_with_its_client() {
        watchers.add(watcher("127.0.0.9:4711", "kubectl/v1.36", "anna", 12));

        assertThat(series())
                .containsExactly(
                        "agent=kubectl/v1.36 client=127.0.0.9 resource=pods resource_namespace="
                                + " selector= user=anna 12");
    }

    @Test
    void watch_that_is_behind_for_a_moment_has_none() {
        watchers.add(watcher("127.0.0.9:4711", "kubectl", "anna", 0));
        assertThat(series()).isEmpty();

        watchers.set(0, watcher("127.0.0.9:4711", "kubectl", "anna", 1));
        assertThat(series()).hasSize(1);

        watchers.clear();
        assertThat(series()).isEmpty();
    }

    @Test
    void only_the_slowest_have_series() {
        for (int i = 1; i <= 2 * SlowestWatches.MAX; i++) {
            watchers.add(watcher("127.0.0.%d:1".formatted(i), "a", "", i));
        }

        assertThat(series())
                .hasSize(SlowestWatches.MAX)
                .allMatch(one -> one.matches(".* client=127.0.0.([6-9]|10) .*"));
    }

    @Test
    void watches_of_one_client_have_the_series_of_the_slowest() {
        watchers.add(watcher("127.0.0.9:1", "a", "anna", 3));
        watchers.add(watcher("127.0.0.9:2", "a", "anna", 7));
        watchers.add(watcher("127.0.0.9:3", "a", "anna", 5));

        assertThat(series()).singleElement().asString().endsWith(" 7");
    }

    @Test
    void user_of_the_socket_is_a_client_and_long_names_are_shortened() {
        watchers.add(watcher("uid 1000", "a".repeat(500), "b".repeat(500), 1));

        assertThat(series())
                .singleElement()
                .asString()
                .contains("client=uid 1000")
                .contains("agent=" + "a".repeat(SlowestWatches.MAX_TEXT) + " ")
                .contains("user=" + "b".repeat(SlowestWatches.MAX_TEXT) + " ");
    }

    @Test
    void scrape_finds_the_series() {
        PrometheusRegistry registry = new PrometheusRegistry();
        registry.register(slowest);
        watchers.add(watcher("127.0.0.9:1", "a", "", 1));

        assertThat(registry.scrape().stream().map(one -> one.getMetadata().getPrometheusName()))
                .containsExactly("kubemirror_watch_behind_seconds");
    }

    private List<String> series() {
        return slowest.collect().getDataPoints().stream()
                .map(GaugeDataPointSnapshot.class::cast)
                .map(point -> text(point) + " " + Math.round(point.getValue()))
                .toList();
    }

    private static String text(GaugeDataPointSnapshot point) {
        return point.getLabels().stream()
                .map(label -> label.getName() + "=" + label.getValue())
                .collect(Collectors.joining(" "));
    }

    private static WatcherInfo watcher(String client, String agent, String user, long seconds) {
        return new WatcherInfo(
                client,
                agent,
                user,
                "",
                Instant.EPOCH,
                Revision.ZERO,
                new Backlog(1, Duration.ofSeconds(seconds)),
                0,
                0);
    }
}
