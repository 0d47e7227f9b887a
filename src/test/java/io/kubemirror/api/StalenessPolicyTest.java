package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.KubeObjects;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Headers report the freshness of a response, and a mirror that is too old is not served
 * (list-watch.md#fr-1, #fr-5).
 */
class StalenessPolicyTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final String X = "/api/v1/namespaces/a/pods/x";
    private static final String PODS = "/api/v1/pods";

    @AutoClose
    private static final ApiFixture SERVED =
            ApiFixture.of(
                    Map.of(
                            "clock",
                            InstantSource.fixed(NOW),
                            "reads",
                            (ApiFixture.Reads) StalenessPolicyTest::policy),
                    "pods",
                    "nodes");

    static {
        ApiSamples.fillWithGoldenPods(SERVED.writer(0));
        SERVED.writer(1).identify(ApiSamples.NODES, DeclaredFields.NONE);
        ApiSamples.synchronize(SERVED.writer(1), 20, ApiSamples.object("", "n", 10));
    }

    private final RestClient client = SERVED.client();

    /** Pods may be 30 seconds old, nodes as old as they are. */
    private static ReadPolicy policy(Scope scope) {
        return scope.resource().text().equals("pods")
                ? new ReadPolicy(ReadMode.CACHE, true, Duration.ofSeconds(30), "", List.of())
                : Mirrors.READS;
    }

    private static void heardOf(Phase phase, long secondsAgo) {
        UpstreamStatus upstream = new UpstreamStatus(phase, NOW, NOW.minusSeconds(secondsAgo), "");
        SERVED.writer(0).report(upstream);
        SERVED.writer(1).report(upstream);
    }

    StalenessPolicyTest() {
        heardOf(Phase.WATCHING, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                PODS,
                X,
                PODS + "?resourceVersion=0",
                PODS + "?limit=1",
                PODS + "?watch=1&resourceVersion=105"
            })
    void every_response_has_revision_age_and_state_headers(String path) {
        heardOf(Phase.WATCHING, 12);
        try (WatchClient answer = SERVED.watch(path)) {
            assertThat(answer.header("Kubemirror-Revision")).isEqualTo("110");
            assertThat(answer.header("Kubemirror-Upstream-Age")).isEqualTo("12");
            assertThat(answer.header("Kubemirror-State")).isEqualTo("synced");
        }
    }

    @Test
    void max_age_header_rejects_what_is_too_old_after_a_wait() throws Exception {
        assertThat(afterWait(PODS, Phase.WATCHING, 10, "10").code()).isEqualTo(200);
        assertThat(afterWait(PODS, Phase.WATCHING, 10, "9").code()).isEqualTo(429);
    }

    /** Reads at a revision that the mirror reaches when it is in another phase. */
    private static RestResponse afterWait(String path, Phase phase, long secondsAgo, String maxAge)
            throws Exception {
        // Requests wait for as long as a test takes.
        Map<String, Object> beans =
                Map.of("clock", InstantSource.fixed(NOW), "patience", WaitLimit.GENEROUS);
        try (ApiFixture served = ApiFixture.of(beans, "pods");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            MirrorWriter writer = served.writer();
            ApiSamples.fillWithGoldenPods(writer);
            writer.report(new UpstreamStatus(Phase.WATCHING, NOW, NOW, ""));
            Future<RestResponse> answer =
                    threads.submit(
                            () ->
                                    served.client()
                                            .get(
                                                    path + "?resourceVersion=111",
                                                    "Kubemirror-Max-Age",
                                                    maxAge));
            await().until(writer.mirror()::hasReaders);
            writer.report(new UpstreamStatus(phase, NOW, NOW.minusSeconds(secondsAgo), ""));
            writer.bookmark(KubeObjects.revision(111));
            return answer.get();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RESOLVING,resyncing",
        "ABSENT,synced",
        "SYNCHRONIZING,resyncing",
        "WATCHING,synced",
        "BACKING_OFF,stale",
        "STOPPED,stale"
    })
    void state_header_reflects_the_reflector_phase(Phase phase, String state) {
        heardOf(phase, 3);

        assertDescribed(client.get("/api/v1/nodes"), "20", "3", state);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/staleness.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void read_is_refused_if_the_mirror_is_older_than_the_bound_or_the_client_allows(
            long secondsAgo, String target, @Nullable String maxAge, int code) {
        heardOf(Phase.BACKING_OFF, secondsAgo);
        String[] demand =
                maxAge == null ? new String[0] : new String[] {"Kubemirror-Max-Age", maxAge};

        try (WatchClient answer = SERVED.watch(target, demand)) {
            assertThat(answer.code()).isEqualTo(code);
        }
    }

    @Test
    void refusal_says_how_old_the_mirror_is_and_when_to_come_again() {
        heardOf(Phase.BACKING_OFF, 31);

        RestResponse answer = client.get(PODS);

        assertDescribed(answer, "110", "31", "stale");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(answer.body())
                .isEqualTo(
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"the"
                            + " mirror of pods last had contact with its API server 31s ago, and"
                            + " staleness-bound allows"
                            + " 30s\",\"reason\":\"TooManyRequests\",\"details\":{\"retryAfterSeconds\":1},\"code\":429}\n");
        assertThat(client.get(PODS + "?resourceVersion=0", "Kubemirror-Max-Age", "9").body())
                .contains("31s ago, and Kubemirror-Max-Age allows 9s");
        assertThat(client.get(PODS, "Kubemirror-Max-Age", "x").body())
                .contains("\"BadRequest\"", "must be a number of seconds");
    }

    @Test
    void resync_longer_than_staleness_bound_is_stale() {
        heardOf(Phase.SYNCHRONIZING, 31);

        assertThat(client.get(PODS).code()).isEqualTo(429);
        assertThat(client.get(PODS).header("Kubemirror-State")).isEqualTo("stale");
    }

    private static void assertDescribed(
            RestResponse answer, String revision, String age, String state) {
        assertThat(answer.header("Kubemirror-Revision")).isEqualTo(revision);
        assertThat(answer.header("Kubemirror-Upstream-Age")).isEqualTo(age);
        assertThat(answer.header("Kubemirror-State")).isEqualTo(state);
    }
}
