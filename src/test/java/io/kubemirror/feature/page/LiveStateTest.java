package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.app.health.Finding;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.PodMirror;
import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.app.health.ProcessDescription.Mirrored;
import io.kubemirror.feature.page.LiveState.DurationCounts;
import io.kubemirror.feature.page.LiveState.VerbRow;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import org.junit.jupiter.api.Test;

/** Tests the sample of the state that the status page shows. */
class LiveStateTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final PodMirror pods = new PodMirror("shop");
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<WatcherInfo> watchers = new ArrayList<>();

    @Test
    void requests_are_added_up_by_verb_and_by_who_answered() {
        record("list", "kubemirror", "pods", 200, 3);
        record("list", "kubemirror", "nodes", 200, 40);
        record("list", "kubemirror", "pods", 429, 2);
        record("get", "api-server", "pods", 404, 700);

        List<VerbRow> requests = sample().requests();

        assertThat(requests)
                .extracting(
                        VerbRow::verb,
                        VerbRow::answeredBy,
                        VerbRow::errors,
                        row -> row.durations().count(),
                        row -> row.durations().seconds())
                .containsExactly(
                        tuple("get", "api-server", 1L, 1L, 0.7),
                        tuple("list", "kubemirror", 1L, 3L, 0.045));
        assertThat(requests.getLast().durations().within())
                .containsExactly(Map.entry(0.005, 2L), Map.entry(0.1, 3L));
        assertThat(requests.getFirst().durations().within())
                .containsExactly(Map.entry(0.005, 0L), Map.entry(0.1, 0L));
    }

    @Test
    void lag_of_a_mirror_is_that_of_its_own_changes() {
        Timer lag =
                Timer.builder("kubemirror.sync.lag")
                        .serviceLevelObjectives(Duration.ofSeconds(2))
                        .tags(pods.mirror().scope().tags())
                        .register(registry);
        lag.record(Duration.ofSeconds(1));
        lag.record(Duration.ofSeconds(9));

        assertThat(sample().lags().get("pods/shop"))
                .isEqualTo(new DurationCounts(2, 10, Map.of(2.0, 1L)));
    }

    @Test
    void findings_need_no_request_to_the_api_server_and_say_what_to_do() {
        assertThat(sample().diagnosis().findings())
                .extracting(Finding::kind, Finding::mirror)
                .containsExactly(tuple(Kind.NOT_SYNCHRONIZED, "pods/shop"));
        assertThat(sample().diagnosis().findings().getFirst().action()).contains("429");
        pods.sync("5");
        assertThat(sample().diagnosis().findings()).isEmpty();
    }

    private void record(String verb, String answeredBy, String resource, int code, int millis) {
        Timer.builder("kubemirror.request.duration")
                .serviceLevelObjectives(Duration.ofMillis(5), Duration.ofMillis(100))
                .tags("verb", verb, "resource", resource, "answered.by", answeredBy)
                .register(registry)
                .record(Duration.ofMillis(millis));
        registry.counter(
                        "kubemirror.requests",
                        "verb",
                        verb,
                        "resource",
                        resource,
                        "answered.by",
                        answeredBy,
                        "code",
                        Integer.toString(code))
                .increment();
    }

    private LiveState sample() {
        Mirrored mirrored =
                new Mirrored(
                        pods.mirror(),
                        () -> new ReflectorStatus(Strategy.AUTO, Optional.empty(), List.of()),
                        _ -> 0);
        ProcessDescription process =
                new ProcessDescription(
                        "1.0",
                        "https://api (test)",
                        NOW,
                        () -> List.of(mirrored),
                        _ -> watchers,
                        List::of,
                        List.of(MemoryBudget.unlimited()),
                        () -> NOW);
        return LiveState.of(process, registry);
    }
}
