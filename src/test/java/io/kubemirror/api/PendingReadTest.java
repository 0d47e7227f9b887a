package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

/** Reads that must not be before a revision that the mirror has not reached. */
@Timeout(60)
class PendingReadTest {

    private static final String PODS = "/api/v1/pods";
    private static final String X = "/api/v1/namespaces/a/pods/x";
    private static final String MIN = "Kubemirror-Min-Revision";

    private static final FakeForwardingApi SERVER = new FakeForwardingApi();

    @AutoClose
    private static final ApiFixture SERVED = ApiFixture.of(Map.of("server", SERVER), "pods");

    private final ApiClient client = SERVED.client();

    @BeforeEach
    void begin() {
        SERVED.writer().identify(ApiSamples.PODS);
        SERVED.writer().resyncAfterLoss().complete(KubeObjects.revision(1));
        // Sees that the history is gone.
        assertThat(client.get(PODS + "?resourceVersion=0").statusCode()).isEqualTo(200);
        SERVED.restoreGolden();
        SERVER.reset();
        SERVER.answersAt(120);
    }

    @ParameterizedTest
    @ValueSource(strings = {PODS, PODS + "?resourceVersion=0", PODS + "?limit=1", X})
    void read_that_the_mirror_cannot_answer_in_time_is_answered_by_the_api_server(String path) {
        HttpResponse<String> answer = client.get(path, MIN, "115");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Kubemirror-State")).contains("proxied");
        assertThat(SERVER.forwarded).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {PODS, PODS + "?resourceVersion=0", X})
    void read_that_the_mirror_can_answer_is_not_forwarded(String path) {
        assertThat(client.get(path, MIN, "110").statusCode()).isEqualTo(200);
        assertThat(client.get(path, MIN, "0").statusCode()).isEqualTo(200);
        assertThat(SERVER.forwarded).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {PODS, X, PODS + "?watch=1"})
    void malformed_revision_is_refused(String path) {
        HttpResponse<String> answer = client.get(path, MIN, "x");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("invalid Kubemirror-Min-Revision \\\"x\\\"");
    }

    /**
     * The API server was restored from a backup after it had shown a revision. A watch has waited
     * for that one, which never came.
     */
    @Test
    void watch_does_not_wait_for_a_revision_that_is_lost() {
        ApiTimings patient =
                new ApiTimings(
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(15),
                        ApiTimings.standard().watches());
        Map<String, Object> beans =
                Map.of(
                        "timing",
                        patient,
                        "server",
                        SERVER,
                        "policies",
                        (ReadPolicies) _ -> new ReadPolicy.Whole(ReadMode.PROXY, null));
        try (ApiFixture restored = ApiFixture.of(beans, "pods")) {
            ApiSamples.fillWithGoldenPods(restored.writer());
            SERVER.answersAt(140);
            assertThat(restored.client().get(PODS).body()).contains("\"140\"");
            SERVER.isAt(110);

            try (WatchClient watch = restored.client().watch(PODS + "?watch=1")) {
                assertThat(watch.code()).isEqualTo(200);
            }
        }
    }

    @Test
    void watch_that_would_begin_too_early_is_refused() {
        HttpResponse<String> answer = client.get(PODS + "?watch=1", MIN, "115");

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    }
}
