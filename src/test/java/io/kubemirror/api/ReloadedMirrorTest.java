package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.read.DocumentFilter;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.HiddenFields;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Optional;

/**
 * A reload changes the mirrors while the credentials of a request are checked: after it was decided
 * that a mirror answers, and before it does.
 */
@Timeout(60)
class ReloadedMirrorTest {

    private static final String PODS = "/api/v1/pods";
    private static final String X = "/api/v1/namespaces/a/pods/x";
    private static final DocumentFilter FILTER =
            new DocumentFilter() {
                @Override
                public boolean hidesContent() {
                    return true;
                }

                @Override
                public Optional<byte[]> shown(byte[] document) {
                    return Optional.empty();
                }

                @Override
                public Optional<byte[]> refusal(byte[] document) {
                    return Optional.empty();
                }
            };

    private static final ReadPolicy WHOLE = new ReadPolicy.Whole(ReadMode.CACHE, null);

    private final ScriptedAccess access = new ScriptedAccess().know("t");
    private final FakeForwardingApi server = new FakeForwardingApi();
    private volatile ReadPolicy policy = WHOLE;
    private volatile boolean hides;

    @AutoClose
    private final ApiFixture served =
            ApiFixture.of(
                    Map.of(
                            "access",
                            access,
                            "server",
                            server,
                            "policies",
                            (ReadPolicies) _ -> policy,
                            "hidden",
                            (HiddenFields)
                                    (_, _) -> hides ? Optional.of(FILTER) : Optional.empty()),
                    "pods");

    @BeforeEach
    void fill() {
        ApiSamples.fillWithGoldenPods(served.writer());
        server.answersAt(120);
    }

    /** The answer is that of the present, so the old state of the mirror is not enough. */
    @ParameterizedTest
    @ValueSource(strings = {PODS, PODS + "?resourceVersion=0", PODS + "?limit=1", X})
    void read_whose_mirror_is_replaced_is_answered_by_the_api_server(String path) {
        access.before(served::replaceMirrors);

        HttpResponse<String> answer = get(path);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Kubemirror-State")).contains("proxied");
        assertThat(server.forwarded).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {PODS, PODS + "?resourceVersion=0", X, PODS + "?watch=1"})
    void read_that_only_the_replaced_mirror_may_answer_is_told_to_come_again(String path) {
        policy = new ReadPolicy.Partial(null, false, "drop=\"data\"");
        access.before(served::replaceMirrors);

        HttpResponse<String> answer = get(path);

        assertThat(answer.statusCode()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).contains("1");
        assertThat(server.forwarded).isEmpty();
    }

    /** The API server would show what the configuration hides now. */
    @Test
    void read_is_not_answered_by_the_api_server_once_fields_are_hidden() {
        access.before(
                () -> {
                    hides = true;
                    served.replaceMirrors();
                });

        assertThat(get(X).statusCode()).isEqualTo(429);
        assertThat(server.forwarded).isEmpty();
    }

    /** Its client lists again, since the other mirror may have other objects (RE-13). */
    @Test
    void watch_of_a_replaced_mirror_expires() {
        access.before(served::replaceMirrors);

        HttpResponse<String> answer = get(PODS + "?watch=1&resourceVersion=110");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"type\":\"ERROR\"", "\"code\":410");
    }

    /** A type that does not exist is no answer: clients would stop to ask for it. */
    @ParameterizedTest
    @ValueSource(strings = {PODS, X, PODS + "?watch=1"})
    void read_of_a_mirror_that_is_added_is_told_to_come_again(String path) {
        served.removeMirrors();
        access.before(served::restoreMirrors);

        assertThat(get(path).statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {PODS, X})
    void request_after_the_removal_is_for_no_type_of_kubemirror(String path) {
        served.removeMirrors();

        HttpResponse<String> answer = get(path);

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("kubemirror does not mirror pods");
    }

    private HttpResponse<String> get(String path) {
        return served.client().get(path, "Authorization", "Bearer t");
    }
}
