package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Names;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.testing.Mirrors;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.EnumSource;

@SuppressWarnings("UnusedVariable") // Meters refer weakly to the objects that the tests keep.
class MirrorMetricsTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    private static final Tags SCOPE =
            Tags.of("resource", "pods", "resource_namespace", "default", "selector", "");

    private final PodMirror pods = new PodMirror("default");
    private final ReflectorCounts counts = new ReflectorCounts();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MirrorMetrics metrics =
            new MirrorMetrics(pods.mirror(), counts, clock(), registry);

    @Test
    void content_and_window_gauges_follow_the_mirror() {
        assertThat(gauge("kubemirror.synced")).isZero();

        pods.sync("20", PodMirror.pod("a", "12", "{\"x\":1}"));
        assertThat(gauge("kubemirror.window.changes")).isZero();
        pods.upsert(PodMirror.pod("b", "21", "{}"));

        assertThat(gauge("kubemirror.synced")).isEqualTo(1);
        assertThat(gauge("kubemirror.objects")).isEqualTo(2);
        assertThat(gauge("kubemirror.store")).isEqualTo(9);
        assertThat(gauge("kubemirror.window.changes")).isEqualTo(1);
        assertThat(gauge("kubemirror.window"))
                .isEqualTo((double) pods.mirror().view().recent().bytes())
                .isPositive();
    }

    @Test
    void window_counters_follow_the_history() {
        pods.sync("20");
        for (int revision = 21; revision <= 130; revision++) {
            pods.upsert(PodMirror.pod("p", Integer.toString(revision), "{}"));
        }
        assertThat(gauge("kubemirror.window.capacity.changes")).isEqualTo(200);
        assertThat(counter("kubemirror.window.resizes", "direction", "grown")).isEqualTo(1);
        assertThat(counter("kubemirror.window.resizes", "direction", "shrunk")).isZero();

        pods.lose();
        assertThat(counter("kubemirror.window.evictions", "cause", "reset")).isEqualTo(110);
        for (String cause : List.of("age", "capacity", "bytes", "memory")) {
            assertThat(counter("kubemirror.window.evictions", "cause", cause)).isZero();
        }
    }

    @Test
    void strategy_has_series_from_its_first_list_to_the_removal_of_the_mirror() {
        String lists = "kubemirror.upstream.list.duration";
        assertThat(registry.find(lists).timers()).isEmpty();

        counts.time(TimedSpan.LIST, Duration.ofMillis(1));
        assertThat(registry.find(lists).timers()).hasSize(1);

        metrics.remove();
        counts.time(TimedSpan.LIST, Duration.ofMillis(1));
        counts.time(TimedSpan.WATCH_LIST, Duration.ofMillis(1));
        assertThat(registry.getMeters()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void phase_gauge_is_1_only_for_the_current_phase(Phase present) {
        pods.report(present, NOW, "");

        for (Phase phase : Phase.values()) {
            Tags tags = SCOPE.and("phase", Names.kebab(phase));
            assertThat(registry.get("kubemirror.upstream.phase").tags(tags).gauge().value())
                    .as(phase.name())
                    .isEqualTo(phase == present ? 1 : 0);
        }
    }

    @Test
    void contact_age_is_measured_from_the_last_contact() {
        assertThat(gauge("kubemirror.upstream.contact.age")).isInfinite();

        pods.report(Phase.WATCHING, NOW.minusMillis(2_500), "");

        assertThat(gauge("kubemirror.upstream.contact.age")).isEqualTo(2.5);
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/app/health/reflector-counters.csv")
    void every_reflector_counter_has_its_own_series(
            Counter counter, String name, String key, String value) {
        counts.count(counter);

        FunctionCounter series = registry.get(name).tags(SCOPE.and(key, value)).functionCounter();

        assertThat(series.count()).isOne();
        assertThat(
                        registry.getMeters().stream()
                                .filter(FunctionCounter.class::isInstance)
                                .mapToDouble(meter -> ((FunctionCounter) meter).count())
                                .sum())
                .as("all counters together")
                .isEqualTo(1);
    }

    @Test
    void selector_tag_distinguishes_mirrors_of_one_resource() throws Rejection {
        LabelSelector labels = LabelSelectorParser.parse("app=web");
        FieldSelector fields = FieldSelectorParser.parse("spec.nodeName=a");
        Scope scope = new Scope(new ResourceName("pods"), new Selection("", labels, fields));
        Mirror mirror =
                new Mirror(scope, Mirrors.window(), Mirrors.READS, Runnable::run, System::nanoTime);

        MirrorMetrics one = new MirrorMetrics(mirror, new ReflectorCounts(), clock(), registry);

        assertThat(registry.get("kubemirror.objects").tag("resource_namespace", "").gauge().getId())
                .extracting(id -> id.getTag("selector"))
                .isEqualTo("app=web;spec.nodeName=a");
    }

    private double counter(String name, String key, String value) {
        return registry.get(name).tags(SCOPE.and(key, value)).functionCounter().count();
    }

    private double gauge(String name) {
        return registry.get(name).tags(SCOPE).gauge().value();
    }

    private static InstantSource clock() {
        return () -> NOW;
    }
}
