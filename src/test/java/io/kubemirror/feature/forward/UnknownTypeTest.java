package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.app.BoundProperties;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.kube.PassThroughClient.PassedResponse;
import io.kubemirror.mirror.UpstreamStatus;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.source.Result;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import java.net.http.HttpResponse;

/**
 * The type of a configured mirror is not known yet, after a start or during an outage. It may be
 * the one in the path, so a request is told to come again, whatever its form (list-watch.md#in-1).
 */
@Timeout(60)
class UnknownTypeTest {

    private static final String PODS = "/api/v1/pods";

    private final Queue<PassedRequest> passed = new ConcurrentLinkedQueue<>();

    @AutoClose
    private final ApiFixture served =
            ApiFixture.of(
                    Map.of(
                            "mirrorProperties",
                            BoundProperties.of(Map.of("kubemirror.pass-through.mode", "own")),
                            "server",
                            new PassingServer()),
                    new String[] {"pods"},
                    "--server.address=127.0.0.1");

    private final class PassingServer extends FakeForwardingApi {

        @Override
        public Result<PassedResponse> pass(PassedRequest request) {
            passed.add(request);
            return FakeForwardingApi.answer(200, "application/json", "{}");
        }
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/feature/forward/unknown-types.csv",
            quoteCharacter = '\'')
    void request_is_told_to_come_again_whatever_its_form(String query, String name, String value) {
        HttpResponse<String> answer = served.client().get(PODS + query, name, value);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(passed).isEmpty();
    }

    @Test
    void other_types_and_one_that_the_server_does_not_have_are_passed_on() {
        assertThat(served.client().get("/api/v1/services").statusCode()).isEqualTo(200);

        served.writer()
                .report(new UpstreamStatus(Phase.ABSENT, Instant.EPOCH, Instant.EPOCH, "gone"));

        assertThat(served.client().get(PODS).statusCode()).isEqualTo(200);
        assertThat(passed).hasSize(2);
    }
}
