package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.OnDemandTypes;
import io.kubemirror.model.ResourceType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
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

    /** Pods on demand, whose mirror ends a number of times when a request is about to find it. */
    private static final class EndingType implements OnDemandTypes {

        private Runnable end = () -> {};
        private Runnable restart = () -> {};
        private boolean present = true;
        private int ends;
        private int demands;

        private void endAgain() {
            if (ends > 0) {
                ends--;
                present = false;
                end.run();
            }
        }

        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public boolean use(RequestPath.Resource resource, boolean watch) {
            boolean used = present;
            if (used) {
                endAgain();
            }
            return used;
        }

        @Override
        public boolean serves(RequestPath.Resource resource) {
            return true;
        }

        @Override
        public boolean demand(RequestPath.Resource resource, boolean watch) {
            demands++;
            restart.run();
            present = true;
            endAgain();
            return true;
        }

        @Override
        public void answered(RequestPath.Resource resource) {}

        @Override
        public List<ResourceType> types() {
            return List.of(ApiSamples.PODS);
        }

        @Override
        public boolean isComplete() {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void request_that_does_not_find_the_mirror_that_it_used_starts_it_again(int ends) {
        EndingType type = new EndingType();
        try (ApiFixture served = ApiFixture.of(Map.of("onDemandTypes", type), "pods")) {
            ApiSamples.fillWithGoldenPods(served.writer());
            type.restart = served::restoreMirrors;
            type.end = served::removeMirrors;
            type.ends = ends;

            assertThat(served.client().get(PODS).statusCode()).isEqualTo(200);
            assertThat(type.demands).isEqualTo(ends);
        }
    }
}
