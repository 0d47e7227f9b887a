package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.ReadPlanner.OnDemandTypes;
import io.kubemirror.app.BoundProperties;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.source.Result;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/** Who answers a request is decided once, also if a mirror begins or ends meanwhile. */
@Timeout(60)
class AdmissionTest {

    private static final String PODS = "/api/v1/pods";

    private final Queue<PassedRequest> passed = new ConcurrentLinkedQueue<>();

    @AutoClose
    private final ApiFixture served =
            ApiFixture.of(
                    Map.of(
                            "access",
                            new ScriptedAccess().know("known"),
                            "mirrorProperties",
                            BoundProperties.of(Map.of("kubemirror.pass-through.mode", "client")),
                            "onDemandTypes",
                            new LateType(),
                            "server",
                            new PassingServer()),
                    "pods");

    /** Pods, which are mirrored as soon as a request has been decided. */
    private final class LateType implements OnDemandTypes {

        @Override
        public Presence use(RequestPath.Resource resource) {
            served.restoreMirrors();
            return Presence.OTHER;
        }
    }

    private final class PassingServer extends FakeForwardingApi {

        @Override
        public Result<PassedResponse> pass(PassedRequest request) {
            passed.add(request);
            return Result.failed(AWAY);
        }
    }

    @BeforeEach
    void fill() {
        ApiSamples.fillWithGoldenPods(served.writer());
        served.removeMirrors();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {PODS, PODS + "?watch=1&timeoutSeconds=1", "/api/v1/namespaces/a/pods/x"})
    void request_that_is_to_be_passed_on_is_never_answered_from_a_mirror_that_begins(String path) {
        HttpResponse<String> answer = served.client().get(path, "Authorization", "Bearer invented");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(passed)
                .singleElement()
                .satisfies(
                        request ->
                                assertThat(request.headers().get("Authorization"))
                                        .containsExactly("Bearer invented"));
    }
}
