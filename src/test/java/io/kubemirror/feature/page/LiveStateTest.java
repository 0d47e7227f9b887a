package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.kubemirror.app.ConfigurationReport.Difference;
import io.kubemirror.app.Mirrored;
import io.kubemirror.app.ProcessDescription;
import io.kubemirror.app.health.PodMirror;
import io.kubemirror.feature.diagnose.Diagnosis.Finding;
import io.kubemirror.feature.diagnose.Diagnosis.Finding.Kind;
import io.kubemirror.feature.diagnose.DiagnosisInput;
import io.kubemirror.feature.page.LiveState.ChangeRow;
import io.kubemirror.feature.page.LiveState.ClientRow;
import io.kubemirror.feature.page.LiveState.DurationCounts;
import io.kubemirror.feature.page.LiveState.VerbRow;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.WatcherDirectory.WatcherInfo;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorStatus;
import io.kubemirror.reflector.ReflectorStatus.StateChange;
import io.kubemirror.reflector.Strategy;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tests the sample of the state that the status page shows. */
class LiveStateTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    private final PodMirror pods = new PodMirror("shop");
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<WatcherInfo> watchers = new ArrayList<>();
    private List<StateChange> changes = List.of();

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

        assertThat(sample().mirrors().getFirst().lag())
                .isEqualTo(new DurationCounts(2, 10, Map.of(2.0, 1L)));
    }

    @Test
    void the_twenty_clients_that_are_most_behind_are_shown() {
        for (int i = 0; i < 40; i++) {
            Backlog backlog = new Backlog(i, Duration.ofMillis(i));
            watchers.add(
                    new WatcherInfo("client" + i, "", "", NOW, new Revision("1"), backlog, 1, 2));
        }

        List<ClientRow> clients = sample().clients();

        assertThat(clients).hasSize(20);
        assertThat(clients.getFirst().watch().client()).isEqualTo("client39");
        assertThat(clients.getLast().watch().client()).isEqualTo("client20");
    }

    @Test
    void changes_of_state_are_shown_newest_first_with_their_ends() {
        StateChange lost = new StateChange(NOW.minusSeconds(9), "backing-off", "nobody is there");
        StateChange found = new StateChange(NOW.minusSeconds(2), "watching", "");
        changes = List.of(lost, found);

        assertThat(sample().changes())
                .containsExactly(
                        new ChangeRow("pods/shop", found, null),
                        new ChangeRow("pods/shop", lost, found.at()));
    }

    @Test
    void findings_need_no_request_to_the_api_server_and_say_what_to_do() {
        assertThat(sample().findings())
                .extracting(Finding::kind, Finding::mirror)
                .containsExactly(tuple(Kind.NOT_SYNCHRONIZED, "pods/shop"));
        assertThat(sample().findings().getFirst().action()).contains("429");
        pods.sync("5");
        assertThat(sample().findings()).isEmpty();
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
                        () ->
                                new ReflectorStatus(
                                        Strategy.AUTO,
                                        List.of(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        changes),
                        _ -> 0);
        DiagnosisInput input =
                new DiagnosisInput(
                        _ -> watchers,
                        new ProcessDescription(
                                "1.0",
                                "https://api (test)",
                                () -> "http://api",
                                Map::of,
                                () -> List.of(mirrored)),
                        () -> Difference.NONE,
                        MemoryBudget.unlimited(),
                        () -> NOW);
        return LiveState.of(input, registry, /* contents= */ false);
    }
}
