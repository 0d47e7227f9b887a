package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import io.kubemirror.api.watch.WatchRegistry.WatcherInfo;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.Finding.Severity;
import io.kubemirror.app.health.ProcessDescription.Mirrored;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorStatus;
import io.kubemirror.reflector.ReflectorStatus.StateChange;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MirrorsEndpointTest {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    private static final Duration LOST_AFTER = Duration.ofMinutes(10);

    private final PodMirror shop = new PodMirror("shop");
    private final PodMirror other = new PodMirror("other");
    private List<PodMirror> mirrors = List.of(shop, other);
    private final Map<Counter, Long> counts = new EnumMap<>(Counter.class);
    private final List<WatcherInfo> followers = new ArrayList<>();
    private ReflectorStatus status =
            new ReflectorStatus(Strategy.AUTO, Optional.empty(), List.of());
    private Instant now = START;
    private List<Finding> further = List.of();

    private final MirrorsEndpoint endpoint =
            new MirrorsEndpoint(
                    new ProcessDescription(
                            "1.0",
                            "https://api (test)",
                            START,
                            () -> mirrors.stream().map(this::mirrored).toList(),
                            mirror -> mirror.equals(shop.mirror()) ? followers : List.of(),
                            () -> further,
                            List.of(MemoryBudget.unlimited()),
                            () -> now));

    private Mirrored mirrored(PodMirror pods) {
        return new Mirrored(
                pods.mirror(), () -> status, counter -> counts.getOrDefault(counter, 0L));
    }

    private void synchronizeAll() {
        for (PodMirror pods : List.of(shop, other)) {
            pods.identify();
            pods.sync("90", PodMirror.pod("a", "12", "{}"));
            pods.report(Phase.WATCHING, START.minusSeconds(3), "");
        }
    }

    @Test
    void findings_of_features_are_among_the_others() {
        synchronizeAll();
        further = List.of(new Finding(Severity.WARNING, Kind.STORAGE, "", "the disk is full"));

        assertThat(endpoint.all().findings()).isEqualTo(further);
        further = List.of();
        assertThat(endpoint.all().findings()).isEmpty();
    }

    @Test
    void healthy_process_is_reported_without_findings() {
        synchronizeAll();
        StateChange away = new StateChange(START, "backing-off", "it was away");
        status =
                new ReflectorStatus(
                        Strategy.AUTO,
                        Optional.of(new ReflectorStatus.Synchronization("watch-list", START, 1.5)),
                        List.of(
                                new StateChange(START, "backing-off", "first"),
                                away,
                                new StateChange(START, "watching", "")));
        counts.put(Counter.LISTS_COMPLETED, 1L);

        Diagnosis diagnosis = endpoint.all();

        assertThat(diagnosis.findings()).isEmpty();
        assertThat(diagnosis.program().upstream()).isEqualTo("https://api (test)");
        assertThat(diagnosis.mirrors())
                .extracting(MirrorDiagnosis::name)
                .containsExactly("pods/shop", "pods/other");
        MirrorDiagnosis first = diagnosis.mirrors().getFirst();
        assertThat(first.state())
                .isEqualTo(
                        new MirrorDiagnosis.MirrorState(
                                "watching",
                                START.minusSeconds(3),
                                true,
                                START.minusSeconds(3),
                                3.0,
                                false,
                                null,
                                away));
        assertThat(first.content()).isEqualTo(new MirrorDiagnosis.ContentStatus(1, 2, "90"));
        assertThat(first.sync())
                .isEqualTo(
                        new MirrorDiagnosis.SyncStatus(
                                "auto",
                                new ReflectorStatus.Synchronization("watch-list", START, 1.5)));
        assertThat(first.stateChanges()).isEqualTo(status.stateChanges());
        assertThat(first.counts()).containsOnly(Map.entry("upstream.lists.completed", 1L));
    }

    @ParameterizedTest
    @CsvSource({"PT10M, WARNING", "PT10M0.001S, ERROR"})
    void server_that_is_silent_is_one_finding_and_an_error_after_a_while(
            Duration silence, Severity severity) {
        for (PodMirror one : List.of(shop, other)) {
            one.sync("90");
            one.report(Phase.BACKING_OFF, START, "nobody is there; check the server");
        }
        now = START.plus(silence);

        assertThat(endpoint.all().findings())
                .extracting(Finding::severity, Finding::kind, Finding::text)
                .containsExactly(
                        tuple(
                                severity,
                                Kind.CUT_OFF,
                                "2 mirrors (pods in shop, pods in other): nobody is there; check"
                                        + " the server (since "
                                        + START
                                        + ")"));
    }

    /** The JVM cannot count them when there is none left. */
    @Test
    void process_with_few_descriptors_left_is_a_finding() {
        LongSupplier none =
                () -> {
                    throw new InternalError();
                };
        assertThat(Findings.descriptors(() -> 90, 100)).isEmpty();
        assertThat(Findings.descriptors(() -> 91, 100))
                .extracting(Finding::text)
                .containsExactly("91 of 100 file descriptors are in use");
        assertThat(Findings.descriptors(none, 100)).hasSize(1);
    }

    @Test
    void silent_watch_is_no_silent_server() {
        shop.sync("90");
        shop.report(Phase.WATCHING, START, "");
        now = START.plus(LOST_AFTER.multipliedBy(2));

        assertThat(of("pods/shop").findings()).isEmpty();
    }

    @Test
    void missing_resource_is_a_finding_of_its_own() {
        shop.sync("90");
        shop.report(Phase.ABSENT, START, "the server does not have this resource");

        assertThat(of("pods/shop").findings())
                .extracting(Finding::severity, Finding::kind)
                .containsExactly(tuple(Severity.WARNING, Kind.ABSENT));
    }

    @Test
    void findings_are_sorted_by_severity() {
        counts.put(Counter.AUDITS_DIFFERENT, 2L);
        shop.sync("90");
        shop.report(Phase.BACKING_OFF, START, "it broke");
        other.report(Phase.BACKING_OFF, START, "it broke");

        assertThat(endpoint.all().findings())
                .extracting(Finding::severity, Finding::kind, Finding::mirror)
                .containsExactly(
                        tuple(Severity.ERROR, Kind.NOT_SYNCHRONIZED, "pods/other"),
                        tuple(Severity.WARNING, Kind.CUT_OFF, "pods/shop"),
                        tuple(Severity.NOTE, Kind.DIFFERENCE, ""));
    }

    @Test
    void slowest_watchers_are_listed_and_the_rest_are_counted() {
        shop.sync("100");
        for (int revision = 101; revision <= 300; revision++) {
            shop.upsert(PodMirror.pod("p", Integer.toString(revision), "{}"));
        }
        for (int i = 0; i < 60; i++) {
            followers.add(follower("fast" + i, 0));
        }
        followers.add(follower("slow", 180));
        followers.add(follower("asleep", 0));

        Diagnosis diagnosis = of("pods/shop");

        MirrorDiagnosis.WatcherStatuses watchers = diagnosis.mirrors().getFirst().watchers();
        assertThat(watchers.open()).isEqualTo(62);
        assertThat(watchers.waiting()).isEqualTo(1);
        assertThat(watchers.mostBehind()).isEqualTo(180);
        assertThat(watchers.shown()).hasSize(20);
        assertThat(watchers.shown().getFirst().client()).isEqualTo("slow");
        assertThat(watchers.more()).isEqualTo(42);
        assertThat(diagnosis.findings())
                .extracting(Finding::kind, Finding::text)
                .contains(
                        tuple(
                                Kind.WATCHER,
                                "a client is 180 of 200 changes behind; its watch ends with 410"
                                        + " when the history no longer has these changes"));
    }

    private Diagnosis of(String mirror) {
        return (Diagnosis) Objects.requireNonNull(endpoint.one(mirror.split("/", -1)).getBody());
    }

    private static WatcherInfo follower(String client, int behind) {
        return new WatcherInfo(
                client, "curl", "anna", "", START, "300", behind, behind / 1000.0, 1, 2);
    }
}
