package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.widget;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Objects.requireNonNull;

import module java.base;

import io.kubemirror.model.SteadyClock;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

/**
 * Tests the whole application between an API server and its clients, and that each property makes a
 * difference.
 */
@Timeout(120)
class ApplicationTest {

    private static final String PODS_PATH = "/api/v1/pods";

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
    void two_hundred_local_watches_share_one_upstream_watch() {
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
     * A type that no longer exists counts as empty, so a process that has started stays ready
     * (list-watch.md#in-3, #in-4).
     */
    @Test
    void readiness_survives_removal_of_a_resource() {
        server.create(widget("a", "w", 1));
        RestClient local = mirroring("resource=widgets.example.com");
        String path = WIDGETS.collectionPath();
        try (WatchReader watch = local.watch(path + "?watch=1")) {
            assertThat(brief(watch.next())).isEqualTo("ADDED a/w");
            server.withdraw(WIDGETS);
            assertThat(watch.nextLine()).isEmpty();
        }
        WaitLimit.until(() -> local.get(path).code() == 404);
        assertThat(management("/actuator/health/readiness").code()).isEqualTo(200);
        assertThat(local.get("/readyz").code()).isEqualTo(200);
    }

    @Test
    void shutdown_delay_fails_readiness_only() throws InterruptedException {
        RestClient local =
                start("kubemirror.resources[0].resource=pods", "kubemirror.shutdown.delay=1h");
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

    private static void awaitCode(RestClient local, String path, int code) {
        WaitLimit.until(() -> local.get(path).code() == code);
    }

    /** list-watch.md#bo-6 */
    @Test
    void lost_upstream_connection_fails_health_but_not_readiness() {
        AtomicLong skipped = new AtomicLong();
        LongSupplier nanos = () -> System.nanoTime() + skipped.get();
        application =
                ApplicationLauncher.with(
                        SteadyClock.class,
                        SteadyClock.beginning(InstantSource.system(), nanos),
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.upstream.server=" + server.url());
        awaitReady();
        server.stop();
        skipped.set(Duration.ofMinutes(11).toNanos());
        WaitLimit.until(() -> management("/actuator/health").code() != 200);

        assertThat(management("/actuator/health").json().at("/components/findings").toString())
                .startsWith("{\"details\":{\"error\":[\"pods: ")
                .endsWith(",\"status\":\"DOWN\"}");
        assertThat(management("/actuator/health/readiness").code()).isEqualTo(200);
    }

    private RestClient mirroring(String... settings) {
        RestClient local =
                start(
                        Stream.of(settings)
                                .map(setting -> "kubemirror.resources[0]." + setting)
                                .toArray(String[]::new));
        awaitReady();
        return local;
    }

    private RestClient start(String... properties) {
        application =
                ApplicationLauncher.with(
                        ApplicationLauncher.and(
                                properties, "kubemirror.upstream.server=" + server.url()));
        return ApplicationLauncher.api(application);
    }

    private void awaitReady() {
        var _ = ApplicationLauncher.ready(requireNonNull(application));
    }

    private RestClient.RestResponse management(String path) {
        return ApplicationLauncher.management(requireNonNull(application)).get(path);
    }

    private static String brief(JsonNode event) {
        return event.path("type").asString() + " " + JsonTrees.key(event.path("object"));
    }
}
