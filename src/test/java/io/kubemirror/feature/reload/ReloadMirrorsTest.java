package io.kubemirror.feature.reload;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RequestLatch;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ArmedFault;
import io.kubemirror.testing.scripted.ServerFault;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Mirrors change with the configuration file, and watches that are not concerned go on. */
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
class ReloadMirrorsTest {

    private static final String PODS = "/api/v1/pods";

    private static final String CONFIGMAPS = "/api/v1/configmaps";

    private static final String BASE =
            """
            kubemirror:
              resources:
                - resource: pods
            """;

    @RegisterExtension private final ReloadFixture served = new ReloadFixture();

    private void start() {
        served.write(BASE).start("kubemirror.upstream.start-spread=0");
        ReloadFixture.await(() -> served.client().get(PODS).code() == 200);
    }

    private List<String> names() {
        return served.bean(MirrorSet.class).stream()
                .map(mirror -> mirror.scope().toString())
                .toList();
    }

    @Test
    void mirrors_come_and_go_while_a_thousand_watches_go_on(CapturedOutput output) {
        start();
        served.server().create(configMap("a", "x"));
        List<WatchReader> watches =
                Stream.generate(() -> served.client().patient().watch(PODS + "?watch=1"))
                        .limit(1_000)
                        .toList();

        served.reload(BASE + "    - resource: configmaps\n");
        ReloadFixture.await(() -> served.client().get(CONFIGMAPS).code() == 200);
        assertThat(names()).containsExactly("pods", "configmaps");
        served.reload(
                BASE
                        + """
                          connections:
                            max: 2000
                          shutdown:
                            watch-spread: 0s
                          watches:
                            timeout: 5m
                          access:
                            recheck-interval: 2s
                          allowed-hosts: [mirror.example.com]
                        logging.level.io.kubemirror.x: debug
                        """);
        assertThat(served.client().get(CONFIGMAPS).code()).isEqualTo(404);
        served.reload(BASE + "  unknown: 1\n");
        served.reload(BASE);

        served.server().create(pod("a", "new"));
        assertThat(watches)
                .allSatisfy(
                        watch ->
                                assertThat(JsonTrees.name(watch.next().path("object")))
                                        .isEqualTo("new"));
        assertThat(served.management().get("/actuator/prometheus").body())
                .contains("kubemirror_configuration_reloads_total{result=\"applied\"} 3.0")
                .contains("kubemirror_configuration_reloads_total{result=\"refused\"} 1.0")
                .contains("kubemirror_configuration_last_reload_successful 1.0");
        assertThat(output).contains("Reloaded the configuration: configmaps (added)\n");
        watches.forEach(WatchReader::close);
    }

    @Test
    void requests_wait_for_the_content_of_a_mirror_whose_definition_changes() throws Exception {
        start();
        served.server().create(pod("a", "web").label("app", "web"));
        served.server().create(pod("a", "db").label("app", "db"));
        ReloadFixture.await(() -> served.client().get(PODS).json().path("items").size() == 2);
        requireAnswers(
                PODS + "?labelSelector=app=web",
                () -> {
                    for (int i = 0; i < 5; i++) {
                        served.reload(BASE + "      label-selector: app=web\n");
                        assertThat(names()).containsExactly("pods[app=web;]");
                        served.reload(BASE + "      drop-fields: [metadata.annotations]\n");
                        served.reload(BASE + "      index-fields: [spec.schedulerName]\n");
                        assertThat(names()).containsExactly("pods");
                    }
                });
    }

    /**
     * Clients list all the time while something happens, and each gets the one object, or is told
     * to come again as after a start.
     */
    private void requireAnswers(String path, Runnable event) throws InterruptedException {
        requireAnswers(path, false, event);
    }

    private void requireAnswers(String path, boolean ends, Runnable event)
            throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        while (!done.get()) {
                                            var answer = served.client().get(path);
                                            boolean over = ends && answer.code() == 404;
                                            if (answer.code() != 429
                                                    && !over
                                                    && (answer.code() != 200
                                                            || answer.json().path("items").size()
                                                                    != 1)) {
                                                wrong.add(answer.code() + " " + answer.body());
                                            }
                                        }
                                    }));
        }
        event.run();
        done.set(true);
        for (Thread client : clients) {
            client.join();
        }
        assertThat(wrong).isEmpty();
    }

    /** A client of whatever is on its way gets objects or is told to come again, never an error. */
    @Test
    void mirror_that_is_removed_is_not_found_by_the_next_request() throws Exception {
        start();
        served.server().create(configMap("a", "x"));
        String more = BASE + "    - resource: configmaps\n";
        served.reload(more);
        ReloadFixture.await(() -> served.client().get(CONFIGMAPS).code() == 200);
        requireAnswers(CONFIGMAPS, true, () -> served.reload(BASE));

        RestResponse answer = served.client().get(CONFIGMAPS);
        assertThat(answer.code()).isEqualTo(404);
        assertThat(answer.body()).contains("kubemirror does not mirror configmaps");
        assertThat(served.client().get("/api/v1/namespaces/a/configmaps/x").code()).isEqualTo(404);
        assertThat(served.client().get(CONFIGMAPS + "?watch=1").code()).isEqualTo(404);
    }

    @Test
    void nothing_of_the_old_definition_is_served_before_the_new_mirror_has_content()
            throws Exception {
        start();
        served.server().create(configMap("a", "x").data("k", "private"));
        served.reload(BASE + "    - {resource: configmaps}\n");
        ReloadFixture.await(() -> served.client().get(CONFIGMAPS).body().contains("private"));
        RequestLatch gate = new RequestLatch();
        ArmedFault slow =
                served.server()
                        .faultUntilWithdrawn(
                                request -> request.path().equals(CONFIGMAPS),
                                ServerFault.delay(gate));
        served.write(BASE + "    - {resource: configmaps, drop-fields: [data]}\n");
        slow.awaitHit();
        Queue<String> bodies = new ConcurrentLinkedQueue<>();
        List<Thread> clients =
                Stream.of(
                                CONFIGMAPS,
                                CONFIGMAPS + "?resourceVersion=0",
                                "/api/v1/namespaces/a/configmaps/x")
                        .map(
                                path ->
                                        Thread.ofVirtual()
                                                .start(
                                                        () ->
                                                                bodies.add(
                                                                        served.client()
                                                                                .get(path)
                                                                                .body())))
                        .toList();

        gate.open();
        for (Thread client : clients) {
            client.join();
        }

        assertThat(bodies).hasSize(3).noneMatch(body -> body.contains("private"));
    }

    /** What is to be dropped must not be served forever. */
    @Test
    void mirror_that_starts_on_demand_while_its_settings_change_gets_the_new_ones()
            throws Exception {
        start();
        served.server().create(configMap("a", "x").data("k", "private"));
        String onDemand = BASE + "    - {resource: configmaps, start: on-demand";
        served.reload(onDemand + "}\n");
        RequestLatch gate = new RequestLatch();
        ArmedFault slow =
                served.server()
                        .faultUntilWithdrawn(
                                request -> request.path().endsWith("/selfsubjectaccessreviews"),
                                ServerFault.delay(gate));
        Thread first = Thread.ofVirtual().start(() -> served.client().get(CONFIGMAPS));
        slow.awaitHit();

        served.reload(onDemand + ", drop-fields: [data]}\n");
        gate.open();
        first.join();

        ReloadFixture.await(
                () -> served.client().get(CONFIGMAPS).header("kubemirror-state").equals("synced"));
        assertThat(served.client().get(CONFIGMAPS).body())
                .contains("\"x\"")
                .doesNotContain("private");
    }

}
