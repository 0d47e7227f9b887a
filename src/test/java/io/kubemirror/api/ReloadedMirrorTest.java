package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.read.EndingType;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/**
 * A reload changes the mirrors, or a mirror ends, while a request is checked or about to read:
 * after it was decided that a mirror answers, and before it does.
 */
@Timeout(60)
class ReloadedMirrorTest {

    private static final String PODS = "/api/v1/pods";
    private static final String X = "/api/v1/namespaces/a/pods/x";
    private static final ReadPolicy WHOLE = new ReadPolicy.Whole(ReadMode.CACHE, null);

    private final ScriptedAccess access = new ScriptedAccess().know("t");
    private final FakeForwardingApi server = new FakeForwardingApi();
    private volatile ReadPolicy policy = WHOLE;

    /** Runs when the clock is read next. */
    private final AtomicReference<Runnable> beforeLook = new AtomicReference<>(() -> {});

    @AutoClose
    private final ApiFixture served =
            ApiFixture.golden(
                    Map.of(
                            "access",
                            access,
                            "server",
                            server,
                            "policies",
                            (ReadPolicies) _ -> policy));

    @BeforeEach
    void answer() {
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

    private Instant look() {
        beforeLook.getAndSet(() -> {}).run();
        return Instant.EPOCH;
    }

    private HttpResponse<String> get(String path) {
        return served.client().get(path, "Authorization", "Bearer t");
    }

    /** A source without a server, or one that is quiet, is at the same revision. */
    @Test
    void list_of_the_replaced_mirror_is_another_one_than_that_of_a_mirror_at_the_same_revision() {
        String tag = get(PODS).headers().firstValue("ETag").orElseThrow();
        Mirror other = served.replaceMirrors().getFirst();
        ApiSamples.fillWithGoldenPods(Mirrors.writer(other, System::nanoTime));

        HttpResponse<String> answer =
                served.client().get(PODS, "Authorization", "Bearer t", "If-None-Match", tag);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("ETag").orElseThrow()).isNotEqualTo(tag);
    }

    /** The clock is read between the decision that the mirror answers and the answer. */
    @ParameterizedTest
    @ValueSource(strings = {PODS, PODS + "?resourceVersion=0", PODS + "?limit=1", X})
    void read_of_a_mirror_that_is_removed_meanwhile_is_answered_by_the_api_server(String path) {
        try (ApiFixture removed =
                ApiFixture.golden(Map.of("server", server, "clock", (InstantSource) this::look))) {
            beforeLook.set(removed::removeMirrors);

            HttpResponse<String> answer = removed.client().get(path);

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Kubemirror-State")).contains("proxied");
            assertThat(server.forwarded).hasSize(1);
        }
    }

    /** A type that does not exist is no answer: clients would stop to ask for it. */
    @ParameterizedTest
    @ValueSource(strings = {PODS, X})
    void read_that_waits_for_a_mirror_which_ends_is_not_told_that_there_is_no_such_type(
            String path) {
        try (ApiFixture ended = ApiFixture.golden(Map.of("clock", (InstantSource) this::look))) {
            beforeLook.set(ended::removeMirrors);

            HttpResponse<String> answer = ended.client().get(path + "?resourceVersion=500");

            assertThat(answer.statusCode()).isEqualTo(504);
            assertThat(answer.body()).contains("ResourceVersionTooLarge");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void request_that_does_not_find_the_mirror_that_it_used_starts_it_again(int ends) {
        AtomicReference<ApiFixture> fixture = new AtomicReference<>();
        EndingType type =
                new EndingType(
                        true,
                        () -> fixture.get().restoreMirrors(),
                        () -> fixture.get().removeMirrors());
        try (ApiFixture served = ApiFixture.golden(Map.of("onDemandTypes", type))) {
            fixture.set(served);
            type.ending(ends);

            assertThat(served.client().get(PODS).statusCode()).isEqualTo(200);
            assertThat(type.demands()).isEqualTo(ends);
        }
    }
}
