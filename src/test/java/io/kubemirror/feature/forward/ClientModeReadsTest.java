package io.kubemirror.feature.forward;

import static io.kubemirror.testing.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.Closer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/**
 * Reads of mirrored types where requests are passed on with the credentials of the client: they are
 * answered if the API server would answer them.
 */
@ExtendWith(OutputCaptureExtension.class)
class ClientModeReadsTest {

    private static final String PODS = "/api/v1/pods";
    private static final String STREAM = "/kubemirror/v1/watch?resource=pods";

    @AutoClose private final Closer open = new Closer();
    private final ScriptedApiServer server = open.add(ScriptedApiServer.create());

    ClientModeReadsTest() {
        server.create(pod("a", "x"));
        server.knowToken("t-anna", "anna");
        server.permit("anna", "list pods", "watch pods", "get pods a/x");
        server.knowToken("t-bob", "bob");
    }

    /** Starts a kubemirror that has read the pods, unless they are on demand. */
    private RestClient kubemirror(String... settings) {
        return ApplicationLauncher.ready(
                open.add(
                        ApplicationLauncher.mirroring(
                                server.url(),
                                "pods",
                                ApplicationLauncher.and(
                                        settings, "kubemirror.pass-through.mode=client"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                PODS,
                "/api/v1/namespaces/a/pods/x",
                PODS + "?watch=1&timeoutSeconds=1",
                STREAM + "&timeoutSeconds=1"
            })
    void read_is_answered_to_clients_whom_the_api_server_permits_it(String path) {
        RestClient client = kubemirror();

        assertThat(client.get(path).code()).isEqualTo(401);
        assertThat(client.withToken("t-invented").get(path).code()).isEqualTo(401);
        assertThat(client.withToken("t-bob").get(path).code()).isEqualTo(403);
        RestResponse answer = client.withToken("t-anna").get(path);
        assertThat(answer.code()).isEqualTo(200);
        assertThat(answer.body()).contains("\"name\":\"x\"");
    }

    @Test
    void refusal_is_that_of_the_api_server() {
        assertThat(kubemirror().withToken("t-bob").get(PODS).json().path("message").asString())
                .isEqualTo(
                        "pods is forbidden: User \"bob\" cannot list resource \"pods\" in API"
                                + " group \"\" at the cluster scope");
    }

    @Test
    void one_review_with_the_token_of_the_client_decides_for_a_while(CapturedOutput output) {
        RestClient anna = kubemirror().withToken("t-anna");

        assertThat(anna.get(PODS).code()).isEqualTo(200);
        assertThat(anna.get(PODS).code()).isEqualTo(200);

        assertThat(server.requests().all(request -> request.method().equals("POST")))
                .singleElement()
                .satisfies(
                        request -> {
                            assertThat(request.path())
                                    .isEqualTo(
                                            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
                            assertThat(request.header("Authorization")).isEqualTo("Bearer t-anna");
                            assertThat(request.header("User-Agent")).startsWith("kubemirror/");
                        });
        assertThat(output).doesNotContain("t-anna");
    }

    @Test
    void permission_that_cannot_be_reviewed_is_none() {
        RestClient anna = kubemirror().withToken("t-anna");
        server.stop();

        assertThat(anna.get(PODS).code()).isEqualTo(503);
    }

    @Test
    void reads_need_no_credentials_if_the_configuration_says_so() {
        RestClient client = kubemirror("kubemirror.pass-through.anonymous-reads=true");

        assertThat(client.get(PODS).body()).contains("\"name\":\"x\"");
        assertThat(client.withToken("t-invented").get(PODS).code()).isEqualTo(200);
        assertThat(server.requests().all(request -> request.path().endsWith("reviews"))).isEmpty();
        assertThat(client.get("/api/v1/nodes").code()).isEqualTo(401);
    }
}
