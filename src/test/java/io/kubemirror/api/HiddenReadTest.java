package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.ContinueToken;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.testing.KubeObjects;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.util.Map;

/**
 * The API server never answers in the place of a mirror that hides a part of each object, because
 * it answers with all of it (list-watch.md#ca-4c).
 */
@Timeout(60)
class HiddenReadTest {

    private static final String PODS = "/api/v1/pods";
    private static final String X = "/api/v1/namespaces/a/pods/x";

    /** Has the whole objects, and would answer. */
    private static final FakeForwardingApi SERVER = new FakeForwardingApi();

    @AutoClose
    private static final ApiFixture SERVED =
            ApiFixture.of(
                    Map.of(
                            "server",
                            SERVER,
                            "policies",
                            (ReadPolicies)
                                    _ -> new ReadPolicy.Partial(null, false, "drop=\"data\"")),
                    "pods");

    private final ApiClient client = SERVED.client();

    @BeforeAll
    static void fill() {
        ApiSamples.fillWithGoldenPods(SERVED.writer());
    }

    HiddenReadTest() {
        SERVER.reset();
        SERVER.answersAt(240);
        SERVER.isAt(240);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                X,
                X + "?resourceVersion=0",
                X + "?resourceVersion=110",
                PODS,
                PODS + "?limit=1",
                PODS + "?resourceVersion=0",
                PODS + "?resourceVersion=110",
                PODS + "?groupBy=metadata.name",
                PODS + "?sortBy=metadata.name"
            })
    void read_of_a_revision_that_the_mirror_does_not_reach_gets_504(String target) {
        HttpResponse<String> answer = client.get(target, "Kubemirror-Min-Revision", "99999999");

        assertThat(answer.statusCode()).isEqualTo(504);
        assertThat(SERVER.forwarded).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {X, PODS, PODS + "?resourceVersion=0", PODS + "?limit=1"})
    void read_of_a_revision_that_the_mirror_has_is_answered(String target) {
        HttpResponse<String> answer = client.get(target, "Kubemirror-Min-Revision", "110");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(SERVER.forwarded).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {90, 110, 240})
    void page_is_never_that_of_the_api_server(long revision) {
        String token = ContinueToken.after(KubeObjects.revision(revision), "a/x").encode();

        client.get(PODS + "?limit=1&continue=" + token, "Kubemirror-Min-Revision", "99999999");
        assertThat(SERVER.forwarded).isEmpty();
    }
}
