package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.ReadPlanner.OnDemandTypes;
import io.kubemirror.app.BoundProperties;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who answers a request is decided once, also if a mirror begins or its type is not known yet. */
class AdmissionTest {

    private static final String PODS = "/api/v1/pods";

    private final FakeForwardingApi server = new FakeForwardingApi();

    private ApiFixture serving(String mode, AccessControl access, OnDemandTypes types) {
        return ApiFixture.of(
                Map.of(
                        "access",
                        access,
                        "mirrorProperties",
                        BoundProperties.of(Map.of("kubemirror.pass-through.mode", mode)),
                        "onDemandTypes",
                        types,
                        "server",
                        server),
                new String[] {"pods"},
                "--server.address=127.0.0.1");
    }

    /** Pods, which are mirrored as soon as a request has been decided. */
    private static final class LateType implements OnDemandTypes {

        private Runnable begin = () -> {};

        @Override
        public Presence use(RequestPath.Resource resource) {
            begin.run();
            return Presence.OTHER;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {PODS, PODS + "?watch=1&timeoutSeconds=1", "/api/v1/namespaces/a/pods/x"})
    void request_that_is_to_be_passed_on_is_never_answered_from_a_mirror_that_begins(String path) {
        LateType pods = new LateType();
        try (ApiFixture served = serving("client", new ScriptedAccess().know("known"), pods)) {
            ApiSamples.fillWithGoldenPods(served.writer());
            served.removeMirrors();
            pods.begin = served::restoreMirrors;

            RestResponse answer = served.client().get(path, "Authorization", "Bearer invented");

            assertThat(answer.code()).isEqualTo(503);
        }
        assertThat(server.forwarded)
                .singleElement()
                .satisfies(
                        request ->
                                assertThat(request.headers().get("Authorization"))
                                        .containsExactly("Bearer invented"));
    }

    /** It may be the type in the path, after a start or during an outage (list-watch.md#in-1). */
    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/forward/unknown-types.csv",
            quoteCharacter = '\'')
    void request_is_told_to_come_again_while_the_type_of_a_mirror_is_not_known(
            String query, String name, String value) {
        try (ApiFixture served = serving("own", AccessControl.OPEN, OnDemandTypes.NONE)) {
            RestResponse answer = served.client().get(PODS + query, name, value);

            assertThat(answer.code()).as(answer.body()).isEqualTo(429);
            assertThat(answer.header("Retry-After")).isNotEmpty();
        }
        assertThat(server.forwarded).isEmpty();
    }

    @Test
    void other_types_and_one_that_the_server_does_not_have_are_passed_on_but_in_no_order() {
        server.answers(_ -> FakeForwardingApi.answer(200, "application/json", "{}"));
        try (ApiFixture served = serving("own", AccessControl.OPEN, OnDemandTypes.NONE)) {
            assertThat(served.client().get("/api/v1/services").code()).isEqualTo(200);
            for (String query : List.of("sortBy=metadata.name", "count=only", "groupBy=a")) {
                RestResponse refused = served.client().get("/api/v1/services?" + query);
                assertThat(refused.code()).isEqualTo(400);
                assertThat(refused.body()).contains("is not supported: kubemirror does not mirror");
            }
            served.writer()
                    .report(new UpstreamStatus(Phase.ABSENT, Instant.EPOCH, Instant.EPOCH, "gone"));
            assertThat(served.client().get(PODS).code()).isEqualTo(200);
        }
        assertThat(server.forwarded).hasSize(2);
    }
}
