package io.kubemirror.feature.diagnose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import module java.base;

import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.http.FieldSelectorParser;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.watch.WatcherDirectory.WatcherInfo;
import io.kubemirror.app.health.Diagnosis;
import io.kubemirror.app.health.Finding;
import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.app.health.Finding.Severity;
import io.kubemirror.app.health.MirrorDiagnosis;
import io.kubemirror.app.health.MirrorDiagnosis.AccessStatus;
import io.kubemirror.app.health.Mirrored;
import io.kubemirror.app.health.PodMirror;
import io.kubemirror.app.health.ProcessDescription;
import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.kube.ServerApi.ServerVersion;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.MirrorUpdater.ReflectorStatus;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MirrorsEndpointTest {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private final PodMirror shop = new PodMirror("shop");
    private final PodMirror other = new PodMirror("other");
    private List<PodMirror> mirrors = List.of(shop, other);
    private final Map<Counter, Long> counts = new EnumMap<>(Counter.class);
    private final List<WatcherInfo> followers = new ArrayList<>();
    private final FakeForwardingApi server = new FakeForwardingApi();
    private ReflectorStatus status =
            new ReflectorStatus(
                    Strategy.AUTO, List.of(), Optional.empty(), Optional.empty(), List.of());
    private @Nullable String api = "http://api";
    private Instant now = START;
    private List<Finding> further = List.of();
    private final Set<Mirror> lost = new HashSet<>();

    private final MirrorsEndpoint endpoint =
            new MirrorsEndpoint(
                    server,
                    new ProcessDescription(
                            "1.0",
                            "https://api (test)",
                            () -> api,
                            Map.of("a", "b"),
                            () -> mirrors.stream().map(this::mirrored).toList(),
                            lost::contains,
                            mirror -> mirror.equals(shop.mirror()) ? followers : List.of(),
                            () -> further,
                            MemoryBudget.unlimited(),
                            () -> now));

    MirrorsEndpointTest() {
        server.version = Result.of(new ServerVersion("v1.36.0", "{}"));
        server.access = _ -> Result.of(new AccessReview(true, ""));
    }

    private Mirrored mirrored(PodMirror pods) {
        return new Mirrored(
                pods.mirror(), () -> status, counter -> counts.getOrDefault(counter, 0L));
    }

    @Test
    void findings_of_features_are_among_the_others() {
        for (PodMirror pods : List.of(shop, other)) {
            pods.identify();
            pods.sync("90", PodMirror.pod("a", "12", "{}"));
            pods.report(Phase.WATCHING, START.minusSeconds(3), "");
        }
        further = List.of(new Finding(Severity.WARNING, Kind.STORAGE, "", "the disk is full"));

        assertThat(endpoint.all(null).findings()).isEqualTo(further);
        further = List.of();
        assertThat(endpoint.all(null).findings()).isEmpty();
    }

    @Test
    void healthy_process_is_reported_without_findings() {
        for (PodMirror pods : List.of(shop, other)) {
            pods.identify();
            pods.sync("90", PodMirror.pod("a", "12", "{}"));
            pods.report(Phase.WATCHING, START.minusSeconds(3), "");
        }
        status =
                new ReflectorStatus(
                        Strategy.AUTO,
                        List.of("a lesson"),
                        Optional.of(new ReflectorStatus.Synchronization("watch-list", START, 1.5)),
                        Optional.of(new ReflectorStatus.Trouble("it was away", START)),
                        List.of(new ReflectorStatus.StateChange(START, "watching", "")));
        counts.put(Counter.LISTS_COMPLETED, 1L);

        Diagnosis diagnosis = endpoint.all(null);

        assertThat(diagnosis.findings()).isEmpty();
        assertThat(diagnosis.upstream().version()).isEqualTo("v1.36.0");
        assertThat(diagnosis.program().api()).isEqualTo("http://api");
        assertThat(diagnosis.settings()).containsEntry("a", "b");
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
                                null,
                                new ReflectorStatus.Trouble("it was away", START)));
        assertThat(first.content()).isEqualTo(new MirrorDiagnosis.ContentStatus(1, 2, "90"));
        assertThat(first.sync())
                .isEqualTo(
                        new MirrorDiagnosis.SyncStatus(
                                "auto",
                                List.of("a lesson"),
                                new ReflectorStatus.Synchronization("watch-list", START, 1.5)));
        assertThat(first.stateChanges()).isEqualTo(status.stateChanges());
        assertThat(first.access()).containsOnlyKeys("get", "list", "watch");
        assertThat(first.counts()).containsOnly(Map.entry("upstream.lists.completed", 1L));
    }

    @Test
    void process_without_a_port_has_no_address() {
        api = null;

        assertThat(endpoint.all(null).program().api()).isNull();
    }

    @Test
    void missing_permission_of_a_mirror_is_reported_like_kubectl() {
        shop.identify();
        server.access =
                permission -> Result.of(new AccessReview(permission.verb() != Verb.WATCH, ""));

        Diagnosis diagnosis = of("pods/shop");

        assertThat(diagnosis.mirrors()).hasSize(1);
        String lack = "cannot watch resource \"pods\" in API group \"\" in the namespace \"shop\"";
        assertThat(diagnosis.mirrors().getFirst().access())
                .containsEntry("list", new AccessStatus(true, null))
                .containsEntry("watch", new AccessStatus(false, lack));
        assertThat(diagnosis.findings())
                .contains(
                        new Finding(
                                Severity.ERROR,
                                Kind.DENIED,
                                "pods/shop",
                                "kubemirror's user " + lack));
    }

    @Test
    void access_is_reported_as_unknown_if_access_reviews_fail() {
        shop.identify();
        shop.sync("90");
        Status unknown = new Status(404, "NotFound", "", null);
        server.access =
                permission ->
                        permission.verb() == Verb.GET
                                ? Result.failed(new Failure.Refused(unknown))
                                : Result.failed(
                                        new Failure.Unreachable(
                                                "nobody is there",
                                                Failure.Unreachable.Kind.REFUSED));

        Diagnosis diagnosis = of("pods/shop");

        assertThat(diagnosis.mirrors().getFirst().access())
                .containsEntry(
                        "get",
                        new AccessStatus(null, "the API server does not support access reviews"))
                .containsEntry("list", new AccessStatus(null, "nobody is there"));
        assertThat(diagnosis.findings()).isEmpty();
    }

    @Test
    void access_reviews_are_cached_for_a_fixed_time() {
        shop.identify();
        endpoint.all(null);
        of("pods");
        assertThat(server.asked)
                .extracting(Permission::verb)
                .containsExactlyInAnyOrder(Verb.GET, Verb.LIST, Verb.WATCH);

        now = now.plusMillis(9_999);
        endpoint.all(null);
        assertThat(server.asked).hasSize(3);

        now = now.plusMillis(1);
        endpoint.all(null);
        assertThat(server.asked).hasSize(6);
    }

    /** What is known of a mirror does not keep the mirror in memory. */
    @Test
    void access_is_known_of_the_mirror_that_takes_the_place_of_another() {
        shop.identify();
        Map<String, AccessStatus> access = of("pods/shop").mirrors().getFirst().access();
        mirrors = List.of(new PodMirror("shop"), other);

        assertThat(of("pods/shop").mirrors().getFirst().access()).isEqualTo(access).hasSize(3);
    }

    @Test
    void unresponsive_server_does_not_block_the_diagnosis() {
        shop.identify();
        CountDownLatch never = new CountDownLatch(1);
        server.access =
                _ -> {
                    try {
                        never.await();
                    } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    return Result.failed(
                            new Failure.Unreachable(
                                    "interrupted", Failure.Unreachable.Kind.BROKEN));
                };

        Diagnosis diagnosis = endpoint.all(null);

        assertThat(diagnosis.mirrors().getFirst().access())
                .containsEntry("watch", new AccessStatus(null, "no response within 3 s"));
    }

    @ParameterizedTest
    @CsvSource({"false, WARNING", "true, ERROR"})
    void lost_connection_is_as_severe_as_the_health_says(boolean down, Severity severity) {
        server.version =
                Result.failed(
                        new Failure.Unreachable(
                                "nobody is there", Failure.Unreachable.Kind.REFUSED));
        shop.identify();
        shop.sync("90");
        other.identify();
        other.sync("90");
        shop.report(Phase.BACKING_OFF, START, "it broke");
        if (down) {
            lost.add(shop.mirror());
        }

        assertThat(endpoint.all(null).findings())
                .extracting(Finding::severity, Finding::kind)
                .containsExactlyInAnyOrder(
                        tuple(severity, Kind.UNREACHABLE), tuple(severity, Kind.CUT_OFF));
    }

    @ParameterizedTest
    @CsvSource({"false, WARNING", "true, ERROR"})
    void server_that_does_not_respond_is_one_finding_of_all_mirrors(
            boolean down, Severity severity) {
        server.version =
                Result.failed(
                        new Failure.Unreachable(
                                "nobody is there", Failure.Unreachable.Kind.REFUSED));
        for (PodMirror one : List.of(shop, other)) {
            one.sync("90");
            one.report(Phase.BACKING_OFF, START, "nobody is there; check the server");
            if (down) {
                lost.add(one.mirror());
            }
        }

        assertThat(endpoint.all(null).findings())
                .extracting(Finding::severity, Finding::kind, Finding::text)
                .containsExactly(
                        tuple(
                                severity,
                                Kind.UNREACHABLE,
                                "2 mirrors (pods in shop, pods in other): nobody is there; check"
                                        + " the server (since "
                                        + START
                                        + ")"));
    }

    @Test
    void findings_are_sorted_by_severity() {
        server.version =
                Result.failed(
                        new Failure.Unreachable(
                                "nobody is there", Failure.Unreachable.Kind.REFUSED));
        counts.put(Counter.AUDITS_DIFFERENT, 2L);
        shop.sync("90");
        shop.report(Phase.BACKING_OFF, START, "it broke");
        other.report(Phase.BACKING_OFF, START, "it broke");

        assertThat(endpoint.all(null).findings())
                .extracting(Finding::severity, Finding::kind, Finding::mirror)
                .containsExactly(
                        tuple(Severity.ERROR, Kind.NOT_SYNCHRONIZED, "pods/other"),
                        tuple(Severity.ERROR, Kind.UNREACHABLE, ""),
                        tuple(Severity.WARNING, Kind.CUT_OFF, "pods/shop"),
                        tuple(Severity.NOTE, Kind.DIFFERENCE, ""));
    }

    @Test
    void one_cause_is_one_finding_that_names_the_mirrors() {
        shop.report(Phase.BACKING_OFF, START, "connection refused");
        other.report(Phase.BACKING_OFF, START, "connection refused");

        assertThat(endpoint.all(null).findings())
                .extracting(Finding::mirror, Finding::text)
                .containsExactly(
                        tuple(
                                "",
                                "2 mirrors (pods in shop, pods in other): no complete state yet:"
                                        + " connection refused (since "
                                        + START
                                        + ")"));
    }

    @Test
    void rejected_credentials_are_no_problem_of_the_network() {
        server.version = Result.failed(Failure.Refused.of(401, "Unauthorized"));

        assertThat(endpoint.all(null).findings())
                .extracting(Finding::kind)
                .contains(Kind.CREDENTIALS)
                .doesNotContain(Kind.UNREACHABLE);
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
        assertThat(watchers.shown()).hasSize(50);
        assertThat(watchers.shown().getFirst().client()).isEqualTo("slow");
        assertThat(watchers.more()).isEqualTo(12);
        assertThat(diagnosis.findings())
                .extracting(Finding::kind, Finding::text)
                .contains(
                        tuple(
                                Kind.WATCHER,
                                "the client at slow is 180 of 200 changes behind; its watch ends"
                                    + " with 410 when the history no longer has these changes"));
    }

    @Test
    void objects_are_named_only_on_request_and_the_busiest_first() {
        shop.sync("100", PodMirror.pod("p", "90", "{}"));
        for (int revision = 101; revision <= 1_300; revision++) {
            String name = revision % 3 == 0 ? "busy" : "p" + revision % 7;
            shop.upsert(PodMirror.pod(name, Integer.toString(revision), "{}"));
        }

        assertThat(of("pods/shop").mirrors().getFirst().busiest()).isNull();
        List<MirrorDiagnosis.BusyObject> busiest =
                endpoint.all(true).mirrors().getFirst().busiest();
        assertThat(busiest)
                .hasSize(5)
                .startsWith(new MirrorDiagnosis.BusyObject("default/busy", 400))
                .isSortedAccordingTo(
                        Comparator.comparingLong(MirrorDiagnosis.BusyObject::changes).reversed());
        assertThat(endpoint.all(true).mirrors().getLast().busiest()).isEmpty();
    }

    @Test
    void path_of_a_mirror_carries_its_selectors() throws Rejection {
        Selection selection =
                new Selection(
                        "shop",
                        LabelSelectorParser.parse("app in (a,b)"),
                        FieldSelectorParser.parse("spec.nodeName=n"));
        PodMirror selected = new PodMirror(selection);
        selected.identify();

        mirrors = List.of(selected, other);

        assertThat(endpoint.all(null).mirrors())
                .extracting(MirrorDiagnosis::path)
                .containsExactly(
                        "/api/v1/namespaces/shop/pods?labelSelector=app+in+%28a%2Cb%29"
                                + "&fieldSelector=spec.nodeName%3Dn",
                        null);
    }

    private Diagnosis of(String mirror) {
        return Objects.requireNonNull(endpoint.one(mirror.split("/", -1), null));
    }

    private static WatcherInfo follower(String client, int behind) {
        Backlog backlog = new Backlog(behind, Duration.ofMillis(behind));
        return new WatcherInfo(
                client, "curl", "anna", "", START, new Revision("300"), backlog, 1, 2);
    }
}
