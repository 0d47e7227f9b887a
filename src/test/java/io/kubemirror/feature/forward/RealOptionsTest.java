package io.kubemirror.feature.forward;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.real.WithApiServer;

import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Compares answers to {@code OPTIONS} that is passed on with those of a real API server. */
@WithApiServer(secure = true)
@Timeout(120)
class RealOptionsTest {

    private static final List<String> TARGETS =
            List.of(
                    "/api",
                    "/apis/apps/v1",
                    "/version",
                    "/nothing",
                    "/api/v1/configmaps",
                    "/api/v1/configmaps?watch=1",
                    "/api/v1/namespaces/default/configmaps/x",
                    "/api/v1/nodes",
                    "/api/v1/namespaces/default/pods/x/status",
                    "/api/v1/nothings",
                    "/apis/none.example.com/v1/x");

    @ParameterizedTest
    @ValueSource(strings = {"own", "client"})
    void options_are_answered_as_the_api_server_does(
            String mode, ApiServer server, @TempDir Path directory) throws Exception {
        String config = server.kubeconfig().orElseThrow();
        Path file = Files.writeString(directory.resolve("config"), config);
        try (ConfigurableApplicationContext kubemirror =
                ApplicationLauncher.with(
                        "kubemirror.upstream.server=",
                        "kubemirror.upstream.kubeconfig=" + file,
                        "kubemirror.resources[0].resource=configmaps",
                        "kubemirror.pass-through.mode=" + mode)) {
            RestClient client =
                    ApplicationLauncher.client(kubemirror, "local.server.port")
                            .withToken(RealPassThroughTest.token(config));
            SoftAssertions.assertSoftly(
                    all ->
                            TARGETS.forEach(
                                    target -> compare(target, server.client(), client, all)));
        }
    }

    private static void compare(
            String target, RestClient direct, RestClient client, SoftAssertions all) {
        RestResponse expected = direct.send("OPTIONS", target, null);
        // Whether the framework or the answer was first is a race.
        for (int i = 0; i < 10; i++) {
            RestResponse answer = client.send("OPTIONS", target, null);
            all.assertThat(answer.code()).as(target).isEqualTo(expected.code());
            all.assertThat(answer.body()).as(target).isEqualTo(expected.body());
            all.assertThat(answer.header("allow")).as(target).isEqualTo(expected.header("allow"));
        }
    }
}
