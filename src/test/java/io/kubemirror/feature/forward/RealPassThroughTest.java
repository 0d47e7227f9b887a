package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Requests that kubemirror does not answer itself get the answer of a real API server. */
@WithApiServer(secure = true)
@TestInstance(Lifecycle.PER_CLASS)
class RealPassThroughTest {

    private static final String RANGES = "/api/v1/limitranges";

    @AutoClose private final ConfigurableApplicationContext kubemirror;
    private final RestClient client;
    private final RestClient direct;

    RealPassThroughTest(ApiServer server) {
        kubemirror =
                ApplicationLauncher.with(
                        ApplicationLauncher.and(
                                server.settings().toArray(String[]::new),
                                "kubemirror.resources[0].resource=configmaps",
                                "kubemirror.resources[1].resource=limitranges",
                                "kubemirror.pass-through.mode=client",
                                // The API server of the tests has no review API.
                                "kubemirror.pass-through.anonymous-reads=true"));
        client = ApplicationLauncher.api(kubemirror).withToken(server.token());
        direct = server.client();
        WaitLimit.until(() -> isMirrored("/api/v1/configmaps") && isMirrored(RANGES));
    }

    /** Requests for types that are not resolved yet are passed on. */
    private boolean isMirrored(String path) {
        RestResponse answer = client.get(path);
        return answer.code() == 200 && !answer.header("kubemirror-state").equals("passed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/configmaps|application/yaml",
                "/api/v1/configmaps|application/vnd.kubernetes.protobuf",
                "/api/v1/configmaps|text/html",
                RANGES + "|application/json;as=Table;g=meta.k8s.io;v=v1,application/json"
            })
    void representation_that_the_mirror_does_not_have_is_that_of_the_server(
            String target, String accepted) {
        RestResponse passed = client.get(target, "Accept", accepted);

        RestResponse expected = direct.get(target, "Accept", accepted);
        assertThat(passed.header("kubemirror-state")).isEqualTo("passed");
        assertThat(passed.code()).isEqualTo(expected.code());
        assertThat(passed.header("content-type")).isEqualTo(expected.header("content-type"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/configmaps|application/vnd.kubernetes.protobuf,application/json",
                "/api/v1/configmaps|application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
                RANGES + "|application/json"
            })
    void representation_that_the_mirror_has_is_its_own(String target, String accepted) {
        assertThat(client.get(target, "Accept", accepted).header("kubemirror-state"))
                .isEqualTo("synced");
    }
}
