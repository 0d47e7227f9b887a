package io.kubemirror;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.widget;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;
import static io.kubemirror.testing.scripted.ServerFault.delay;
import static io.kubemirror.testing.scripted.ServerFault.onList;
import static io.kubemirror.testing.scripted.ServerFault.onWatch;
import static io.kubemirror.testing.scripted.ServerFault.onWatchList;
import static io.kubemirror.testing.scripted.ServerFault.refuse;
import static io.kubemirror.testing.scripted.ServerFault.respond;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Objects.requireNonNull;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RequestLatch;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ReceivedRequest;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The whole application between an API server and its clients; each property is seen to make a
 * difference.
 */
@Timeout(120)
class ApplicationTest {

    private static final String PODS_PATH = "/api/v1/pods";

    private static final String APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private @Nullable ConfigurableApplicationContext application;

    @AfterEach
    void stop() {
        if (application != null) {
            application.close();
        }
        server.close();
    }

    @Test
    void a_list_is_the_servers_list() {
        server.create(pod("a-b", "x").label("app", "v"));
        server.create(pod("a", "x"));
        RestClient local = mirroring("resource=pods");

        assertThat(local.get(PODS_PATH).json()).isEqualTo(server.list(PODS));
        assertThat(local.get("/api/v1/namespaces/a/pods/x").json())
                .isEqualTo(server.client().get("/api/v1/namespaces/a/pods/x").json());
    }

    @Test
    void two_hundred_local_watches_cost_the_server_one() {
        RestClient local = mirroring("resource=pods");
        List<WatchReader> watches =
                Stream.generate(() -> local.watch(PODS_PATH + "?watch=1")).limit(200).toList();
        try {
            assertThat(server.watches(PODS)).hasSize(1);
            server.create(pod("a", "x"));
            for (WatchReader watch : watches) {
                assertThat(brief(watch.next())).isEqualTo("ADDED a/x");
            }
        } finally {
            watches.forEach(WatchReader::close);
        }
    }

    /**
     * The server forgets its past while it is away: a 410 for the mirror, and nothing at all for
     * its clients.
     */
    @Test
    void clients_see_a_restart_of_the_server_as_the_changes_that_happened_meanwhile() {
        server.create(pod("a", "deleted"));
        server.create(pod("a", "changed"));
        RestClient local = mirroring("resource=pods");
        String since =
                "?watch=1&resourceVersion="
                        + local.get(PODS_PATH).json().at("/metadata/resourceVersion").asString();
        try (WatchReader lines = local.watch(PODS_PATH + since);
                WatchReader selected = local.watch(PODS_PATH + since + "&labelSelector=app%3Dv")) {
            server.stop();
            server.start();
            server.delete(PODS, "a", "deleted");
            server.label(PODS, "a", "changed", "app", "v");
            server.create(pod("a", "created"));
            server.restart();

            assertThat(Stream.generate(lines::next).limit(3).map(ApplicationTest::brief))
                    .containsExactlyInAnyOrder(
                            "DELETED a/deleted", "MODIFIED a/changed", "ADDED a/created");
            assertThat(brief(selected.next())).isEqualTo("ADDED a/changed");
        }
    }

    @Test
    void it_is_ready_only_once_the_mirror_is_complete() {
        server.create(pod("a", "x"));
        server.watchList(false);
        var fault = server.faultUntilWithdrawn(onList(PODS), refuse());
        RestClient local = start("kubemirror.resources[0].resource=pods");
        fault.awaitHit();

        assertThat(management("/actuator/health/readiness").code()).isEqualTo(503);
        assertThat(management("/actuator/health/liveness").code()).isEqualTo(200);
        RestClient.RestResponse early = local.get(PODS_PATH);
        assertThat(early.code()).isEqualTo(429);
        assertThat(early.json().path("message").asString())
                .startsWith("storage is (re)initializing");

        fault.withdraw();
        awaitReady();
        assertThat(local.get(PODS_PATH).json().path("items")).hasSize(1);
    }

    @Test
    void the_strategy_decides_what_is_asked_first() {
        mirroring("resource=pods", "strategy=list-watch");

        assertThat(server.requests().all(onWatchList(PODS))).isEmpty();
        assertThat(server.requests().all(onList(PODS))).hasSize(1);
    }

    @Test
    void a_page_is_as_large_as_configured() {
        server.create(pod("a", "x"));
        server.create(pod("a", "y"));
        mirroring("resource=pods", "strategy=list-watch", "page-size=1");

        assertThat(server.requests().all(onList(PODS)))
                .hasSize(2)
                .allMatch(request -> request.parameter("limit").equals("1"));
    }

    @Test
    void what_a_server_indents_is_still_one_line_in_a_watch() {
        server.fault(
                onList(PODS),
                respond(
                        200,
                        "application/json",
                        """
                        {
                          "kind": "PodList", "apiVersion": "v1",
                          "metadata": { "resourceVersion": "7" },
                          "items": [ {
                            "metadata": {
                              "name": "x", "namespace": "a", "uid": "u", "resourceVersion": "5"
                            }
                          } ]
                        }
                        """));
        RestClient local = mirroring("resource=pods", "strategy=list-watch");

        try (WatchReader watch = local.watch(PODS_PATH + "?watch=1")) {
            assertThat(brief(watch.next())).isEqualTo("ADDED a/x");
        }
    }

    @Test
    void dropped_fields_are_not_served() {
        server.create(
                pod("a", "x").annotation("example.com/note", "long").annotation("kept", "yes"));
        RestClient local =
                mirroring(
                        "resource=pods", "drop-fields[0]=metadata.annotations['example.com/note']");

        JsonNode annotations =
                local.get("/api/v1/namespaces/a/pods/x").json().at("/metadata/annotations");
        assertThat(annotations.propertyNames()).containsExactly("kept");
    }

    @Test
    void an_update_of_dropped_fields_alone_is_no_event_but_its_revision_is_served() {
        server.create(pod("a", "x").annotation(APPLIED, "first").annotation("kept", "yes"));
        RestClient local =
                mirroring(
                        "resource=pods", "drop-fields[0]=metadata.annotations['" + APPLIED + "']");
        String since = local.get(PODS_PATH).json().at("/metadata/resourceVersion").asString();
        try (WatchReader watch = local.watch(PODS_PATH + "?watch=1&resourceVersion=" + since)) {
            server.replace(pod("a", "x").annotation(APPLIED, "second").annotation("kept", "yes"));
            server.create(pod("a", "y"));

            assertThat(brief(watch.next())).isEqualTo("ADDED a/y");
        }
        JsonNode metadata = local.get("/api/v1/namespaces/a/pods/x").json().path("metadata");
        assertThat(metadata.path("resourceVersion"))
                .isEqualTo(server.list(PODS).at("/items/0/metadata/resourceVersion"));
        assertThat(metadata.path("annotations").propertyNames()).containsExactly("kept");
        assertThat(management("/actuator/prometheus").body())
                .containsPattern("events_ignored_total\\{.*reason=\"unchanged\".*} 1\\.0");
    }

    @Test
    void a_dropped_field_can_be_selected_by_all_the_same() {
        server.create(pod("a", "x").phase("Pending"));
        server.create(pod("a", "y").phase("Running"));
        RestClient local = mirroring("resource=pods", "drop-fields[0]=status");
        String running = PODS_PATH + "?fieldSelector=status.phase%3DRunning";

        assertThat(names(local.get(running))).containsExactly("y");
        try (WatchReader watch = local.watch(running + "&watch=1")) {
            assertThat(brief(watch.next())).isEqualTo("ADDED a/y");
            server.patchStatus(PODS, "a", "x", "{\"status\":{\"phase\":\"Running\"}}");

            JsonNode event = watch.next();
            assertThat(brief(event)).isEqualTo("ADDED a/x");
            assertThat(event.path("object").has("status")).isFalse();
        }
        assertThat(names(local.get(running))).containsExactly("x", "y");
    }

    @Test
    void an_indexed_field_can_be_selected_by_and_no_other() {
        server.create(pod("a", "x").with("{\"spec\":{\"priorityClassName\":\"high\"}}"));
        server.create(pod("a", "y"));
        RestClient local = mirroring("resource=pods", "index-fields[0]=spec.priorityClassName");

        assertThat(names(local.get(PODS_PATH + "?fieldSelector=spec.priorityClassName%3Dhigh")))
                .containsExactly("x");
        assertThat(local.get(PODS_PATH + "?fieldSelector=spec.subdomain%3Dz").code())
                .isEqualTo(400);
    }

    @Test
    void selectors_are_the_servers_work_and_the_mirrors_limit() {
        server.create(pod("a", "x").label("app", "v"));
        server.create(pod("a", "y"));
        RestClient local =
                mirroring(
                        "resource=pods", "label-selector=app=v", "field-selector=metadata.name!=z");

        ReceivedRequest request = server.requests().all(onWatch(PODS)).getFirst();
        assertThat(request.parameter("labelSelector")).isEqualTo("app=v");
        assertThat(request.parameter("fieldSelector")).isEqualTo("metadata.name!=z");
        assertThat(local.get(PODS_PATH).code()).isEqualTo(403);
        assertThat(
                        names(
                                local.get(
                                        PODS_PATH
                                                + "?labelSelector=app%3Dv&fieldSelector=metadata.name!%3Dz")))
                .containsExactly("x");
    }

    /**
     * A type that is gone counts as empty, so whoever has started stays ready (list-watch.md#in-3,
     * #in-4).
     */
    @Test
    void it_stays_ready_when_a_resource_disappears() {
        server.create(widget("a", "w", 1));
        RestClient local = mirroring("resource=widgets.example.com");
        String path = WIDGETS.collectionPath();
        try (WatchReader watch = local.watch(path + "?watch=1")) {
            assertThat(brief(watch.next())).isEqualTo("ADDED a/w");
            server.withdraw(WIDGETS);
            assertThat(watch.nextLine()).isEmpty();
        }
        while (local.get(path).code() != 404) {
            Thread.onSpinWait();
        }
        assertThat(management("/actuator/health/readiness").code()).isEqualTo(200);
        assertThat(local.get("/readyz").code()).isEqualTo(200);
    }

    @Test
    void each_namespace_is_a_mirror_of_its_own_and_what_is_outside_is_refused() {
        server.create(pod("a", "x"));
        server.create(pod("b", "y"));
        server.create(pod("c", "z"));
        RestClient local = mirroring("resource=pods", "namespaces[0]=a", "namespaces[1]=b");

        assertThat(names(local.get("/api/v1/namespaces/a/pods"))).containsExactly("x");
        assertThat(names(local.get("/api/v1/namespaces/b/pods"))).containsExactly("y");
        assertThat(local.get("/api/v1/namespaces/c/pods").code()).isEqualTo(403);
        assertThat(local.get(PODS_PATH).code()).isEqualTo(403);
        assertThat(server.watches(PODS)).hasSize(2);
    }

    /** An empty or partial answer would be believed (list-watch.md#ca-7). */
    @Test
    void whatever_reaches_outside_of_what_is_mirrored_is_refused_and_told_what_there_is() {
        server.create(pod("a", "x").label("app", "v"));
        server.create(pod("a", "y"));
        server.create(pod("b", "z").label("app", "v"));
        RestClient local = mirroring("resource=pods", "namespaces[0]=a", "label-selector=app=v");

        assertThat(names(local.get("/api/v1/namespaces/a/pods?labelSelector=app%3Dv")))
                .containsExactly("x");
        for (String outside :
                List.of(
                        "/api/v1/pods",
                        "/api/v1/pods?labelSelector=app%3Dv",
                        "/api/v1/pods?fieldSelector=metadata.namespace%3Db",
                        "/api/v1/namespaces/a/pods",
                        "/api/v1/namespaces/a/pods?labelSelector=app",
                        "/api/v1/namespaces/b/pods?labelSelector=app%3Dv",
                        "/api/v1/namespaces/b/pods/z",
                        "/api/v1/namespaces/a/pods/y")) {
            assertRefused(local.get(outside));
            String query = outside.contains("?") ? outside + "&watch=1" : outside + "?watch=1";
            assertRefused(local.get(query));
        }
    }

    private static void assertRefused(RestClient.RestResponse reply) {
        assertThat(reply.code()).isEqualTo(403);
        assertThat(reply.json().path("reason").asString()).isEqualTo("Forbidden");
        assertThat(reply.json().path("message").asString())
                .startsWith("pods ")
                .contains(" is forbidden: kubemirror holds only pods/a[app=v;]");
    }

    @Test
    void a_server_that_is_away_is_hidden_only_as_long_as_the_bound_allows() {
        RestClient local = mirroring("resource=pods", "staleness-bound=1ms");
        assertThat(local.get(PODS_PATH).header("kubemirror-state")).isEqualTo("synced");
        server.stop();
        awaitCode(local, 429);
        assertThat(local.get(PODS_PATH + "?resourceVersion=0").code()).isEqualTo(200);

        server.start();
        awaitCode(local, 200);
    }

    @Test
    void without_a_bound_a_server_that_is_away_shows_in_the_headers_alone() {
        RestClient local = mirroring("resource=pods");
        server.stop();
        while (!local.get(PODS_PATH).header("kubemirror-state").equals("stale")) {
            assertThat(local.get(PODS_PATH).code()).isEqualTo(200);
        }
    }

    @Test
    void the_newest_state_is_told_by_whom_the_mode_of_reads_says() {
        server.create(pod("a", "x"));
        RestClient local = mirroring("resource=pods");
        server.advanceTo(5_000);
        assertThat(local.get(PODS_PATH).header("kubemirror-state")).isEqualTo("synced");
        stopApplication();

        local = mirroring("resource=pods", "reads=proxy");
        server.advanceTo(6_000);
        RestClient.RestResponse list = local.get(PODS_PATH);
        assertThat(list.header("kubemirror-state")).isEqualTo("proxied");
        assertThat(list.json()).isEqualTo(server.list(PODS));
        assertThat(local.get("/api/v1/namespaces/a/pods/x").json())
                .isEqualTo(server.client().get("/api/v1/namespaces/a/pods/x").json());
        assertThat(local.get("/api/v1/namespaces/a/pods/nope").code()).isEqualTo(404);
        stopApplication();

        local = mirroring("resource=pods", "reads=verify");
        assertThat(local.get(PODS_PATH).header("kubemirror-state")).isEqualTo("synced");
        server.create(pod("a", "y"));
        RestClient.RestResponse verified = local.get(PODS_PATH);
        assertThat(names(verified)).containsExactly("x", "y");
        assertThat(verified.header("kubemirror-upstream-age")).isEqualTo("0");
    }

    @Test
    void during_the_delay_of_a_shutdown_only_readiness_knows() throws InterruptedException {
        RestClient local =
                start(
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.shutdown.delay=1h",
                        "kubemirror.shutdown.watch-spread=0s");
        awaitReady();
        assertThat(local.get("/readyz").code()).isEqualTo(200);
        Thread closing = Thread.ofVirtual().start(requireNonNull(application)::close);
        awaitCode(local, "/readyz", 500);

        assertThat(local.get("/livez").code()).isEqualTo(200);
        assertThat(local.get(PODS_PATH).code()).isEqualTo(200);
        assertThat(management("/actuator/health/readiness").code()).isEqualTo(500);

        closing.interrupt();
        closing.join();
    }

    private static void awaitCode(RestClient local, int code) {
        awaitCode(local, PODS_PATH, code);
    }

    private static void awaitCode(RestClient local, String path, int code) {
        while (local.get(path).code() != code) {
            Thread.onSpinWait();
        }
    }

    @Test
    void the_history_is_as_long_as_configured() {
        RestClient local = mirroring("resource=pods");
        assertThat(typeOfFirstEventFromTheBeginning(local)).isEqualTo("ADDED");
        stopApplication();

        local =
                start(
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.history.min-events=1",
                        "kubemirror.history.max-events=1");
        awaitReady();
        assertThat(typeOfFirstEventFromTheBeginning(local)).isEqualTo("ERROR");
    }

    /** Two changes later, a watch from before them. */
    private String typeOfFirstEventFromTheBeginning(RestClient local) {
        String beginning = local.get(PODS_PATH).json().at("/metadata/resourceVersion").asString();
        String watch = PODS_PATH + "?watch=1&resourceVersion=" + beginning;
        try (WatchReader witness = local.watch(watch)) {
            String suffix = beginning;
            server.create(pod("a", "first-" + suffix));
            witness.next();
            server.create(pod("a", "second-" + suffix));
            witness.next();
        }
        try (WatchReader late = local.watch(watch)) {
            return late.next().path("type").asString();
        }
    }

    /** list-watch.md#bo-6; with the default of ten minutes it does not show yet. */
    @Test
    void a_lost_connection_shows_in_health_and_not_in_readiness() {
        start("kubemirror.resources[0].resource=pods", "kubemirror.upstream.lost-after=0");
        awaitReady();
        server.stop();
        while (management("/actuator/health").code() == 200) {
            Thread.onSpinWait();
        }

        assertThat(management("/actuator/health").json().at("/components/upstream").toString())
                .isEqualTo("{\"details\":{\"lost\":[\"pods\"]},\"status\":\"DOWN\"}");
        assertThat(management("/actuator/health/readiness").code()).isEqualTo(200);
    }

    @Test
    void a_connection_is_not_lost_at_once() {
        mirroring("resource=pods");
        server.stop();
        while (management("/actuator/health").body().contains("\"watching\"")) {
            Thread.onSpinWait();
        }

        assertThat(management("/actuator/health").code()).isEqualTo(200);
    }

    /** list-watch.md#bo-7; the first of the two holds its turn until its list is complete. */
    @Test
    void no_more_collections_are_listed_at_once_than_configured() {
        server.watchList(false);
        RequestLatch requestLatch = new RequestLatch();
        server.fault(onList(PODS), delay(requestLatch));
        server.fault(onList(CONFIGMAPS), delay(requestLatch));
        RestClient local =
                start(
                        "kubemirror.upstream.concurrent-lists=1",
                        "kubemirror.upstream.start-spread=0",
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.resources[1].resource=configmaps");
        requestLatch.awaitArrival();
        // Both types are known, so nothing but its turn keeps the second from listing.
        while (local.get("/api/v1").json().path("resources").size() < 2) {
            Thread.onSpinWait();
        }
        Predicate<ReceivedRequest> lists = onList(PODS).or(onList(CONFIGMAPS));

        assertThat(server.requests().all(lists)).hasSize(1);
        requestLatch.open();
        awaitReady();
        assertThat(server.requests().all(lists)).hasSize(2);
    }

    private RestClient mirroring(String... settings) {
        List<String> properties = new ArrayList<>();
        for (String setting : settings) {
            properties.add("kubemirror.resources[0]." + setting);
        }
        RestClient local = start(properties.toArray(String[]::new));
        awaitReady();
        return local;
    }

    private RestClient start(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("kubemirror.upstream.server=" + server.url());
        application = ApplicationLauncher.with(all.toArray(String[]::new));
        return client("local.server.port");
    }

    private void stopApplication() {
        if (application != null) {
            application.close();
        }
    }

    private void awaitReady() {
        while (management("/actuator/health/readiness").code() != 200) {
            Thread.onSpinWait();
        }
    }

    private RestClient.RestResponse management(String path) {
        return client("local.management.port").get(path);
    }

    private RestClient client(String port) {
        String number = requireNonNull(application).getEnvironment().getRequiredProperty(port);
        return RestClient.of(URI.create("http://127.0.0.1:" + number));
    }

    private static List<String> names(RestClient.RestResponse list) {
        return list.json().path("items").valueStream().map(JsonTrees::name).toList();
    }

    private static String brief(JsonNode event) {
        return event.path("type").asString() + " " + JsonTrees.key(event.path("object"));
    }
}
