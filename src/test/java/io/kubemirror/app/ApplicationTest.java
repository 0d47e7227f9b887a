package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Objects.requireNonNull;

import module java.base;

import io.kubemirror.model.SteadyClock;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

/** Tests the whole application between an API server and its clients. */
class ApplicationTest {

    private static final String PODS_PATH = "/api/v1/pods";

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private @Nullable ConfigurableApplicationContext application;

    /** By how much the clock of the system is wrong. */
    private volatile Duration error = Duration.ZERO;

    @AfterEach
    void stop() {
        if (application != null) {
            application.close();
        }
        server.close();
    }

    @Test
    void two_hundred_local_watches_share_one_upstream_watch() {
        RestClient local = start();
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

    @Test
    void shutdown_delay_fails_readiness_only() throws InterruptedException {
        RestClient local = start("kubemirror.shutdown.delay=1h");
        assertThat(local.get("/readyz").code()).isEqualTo(200);
        Thread closing = Thread.ofVirtual().start(requireNonNull(application)::close);
        WaitLimit.until(() -> local.get("/readyz").code() == 500);

        assertThat(local.get("/livez").code()).isEqualTo(200);
        assertThat(local.get(PODS_PATH).code()).isEqualTo(200);
        assertThat(management("/actuator/health/readiness").code()).isEqualTo(500);

        closing.interrupt();
        closing.join();
    }

    /** list-watch.md#bo-6 */
    @Test
    void lost_upstream_connection_fails_health_but_not_readiness() {
        AtomicLong skipped = new AtomicLong();
        LongSupplier nanos = () -> System.nanoTime() + skipped.get();
        start(SteadyClock.class, SteadyClock.beginning(InstantSource.system(), nanos));
        server.stop();
        skipped.set(Duration.ofMinutes(11).toNanos());
        WaitLimit.until(() -> management("/actuator/health").code() != 200);

        assertThat(management("/actuator/health").json().at("/components/findings").toString())
                .startsWith("{\"details\":{\"error\":[\"pods: ")
                .endsWith(",\"status\":\"DOWN\"}");
        assertThat(management("/actuator/health/readiness").code()).isEqualTo(200);
    }

    @Test
    void age_of_a_mirror_is_the_time_since_its_last_contact_whatever_the_clock_is_set_to() {
        RestClient local = startWithSettableClock();
        error = Duration.ofHours(2);

        RestResponse read = local.get(PODS_PATH, "Kubemirror-Max-Age", "1000");

        assertThat(read.code()).as(read.body()).isEqualTo(200);
        assertThat(Long.parseLong(read.header("Kubemirror-Upstream-Age"))).isBetween(0L, 1000L);
    }

    @Test
    void mirror_that_has_to_list_again_does_not_wait_until_a_clock_set_back_is_there_again() {
        RestClient local = startWithSettableClock();
        error = Duration.ofHours(-2);
        for (String name : new String[] {"a", "b"}) {
            server.awaitWatch(PODS);
            server.stop();
            server.create(pod(name, "x"));
            server.compact();
            server.start();

            WaitLimit.until(() -> local.get(PODS_PATH).body().contains("\"" + name + "\""));
        }
    }

    private RestClient startWithSettableClock() {
        return start(InstantSource.class, () -> InstantSource.system().instant().plus(error));
    }

    private RestClient start(String... settings) {
        return ready(ApplicationLauncher.mirroring(server.url(), "pods", settings));
    }

    private <T> RestClient start(Class<T> type, T bean) {
        return ready(
                ApplicationLauncher.with(
                        type,
                        bean,
                        "kubemirror.upstream.server=" + server.url(),
                        "kubemirror.resources[0].resource=pods"));
    }

    private RestClient ready(ConfigurableApplicationContext started) {
        application = started;
        return ApplicationLauncher.ready(started);
    }

    private RestResponse management(String path) {
        return ApplicationLauncher.management(requireNonNull(application)).get(path);
    }

    private static String brief(JsonNode event) {
        return event.path("type").asString() + " " + JsonTrees.key(event.path("object"));
    }
}
