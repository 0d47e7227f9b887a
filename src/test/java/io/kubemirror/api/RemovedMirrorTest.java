package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.read.EndingType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** A mirror is removed while a request is about to read it. */
@Timeout(60)
class RemovedMirrorTest {

    private static final String PODS = "/api/v1/pods";
    private static final String X = "/api/v1/namespaces/a/pods/x";

    private final FakeForwardingApi server = new FakeForwardingApi();

    /** The clock is read between the decision that the mirror answers and the answer. */
    @ParameterizedTest
    @ValueSource(strings = {PODS, PODS + "?resourceVersion=0", PODS + "?limit=1", X})
    void read_of_a_mirror_that_is_removed_meanwhile_is_answered_by_the_api_server(String path) {
        server.answersAt(120);
        AtomicReference<Runnable> look = new AtomicReference<>(() -> {});
        InstantSource clock =
                () -> {
                    look.getAndSet(() -> {}).run();
                    return Instant.EPOCH;
                };
        try (ApiFixture removed = ApiFixture.of(Map.of("server", server, "clock", clock), "pods")) {
            ApiSamples.fillWithGoldenPods(removed.writer());
            look.set(removed::removeMirrors);

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
        AtomicReference<Runnable> look = new AtomicReference<>(() -> {});
        InstantSource clock =
                () -> {
                    look.getAndSet(() -> {}).run();
                    return Instant.EPOCH;
                };
        try (ApiFixture ended = ApiFixture.of(Map.of("clock", clock), "pods")) {
            ApiSamples.fillWithGoldenPods(ended.writer());
            look.set(ended::removeMirrors);

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
        try (ApiFixture served = ApiFixture.of(Map.of("onDemandTypes", type), "pods")) {
            ApiSamples.fillWithGoldenPods(served.writer());
            fixture.set(served);
            type.ending(ends);

            assertThat(served.client().get(PODS).statusCode()).isEqualTo(200);
            assertThat(type.demands()).isEqualTo(ends);
        }
    }
}
