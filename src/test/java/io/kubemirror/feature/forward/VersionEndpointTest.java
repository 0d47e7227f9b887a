package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.kube.KubeClient.ServerVersion;
import io.kubemirror.source.Result;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.Test;

/** Tests the version endpoint. */
class VersionEndpointTest {

    private static final String DOCUMENT = "{\n  \"gitVersion\": \"v1.36.4\"\n}";

    private final FakeForwardingApi server = new FakeForwardingApi();
    private final AtomicLong nanos = new AtomicLong();
    private final VersionEndpoint version = new VersionEndpoint(server, nanos::get);

    private String read() throws Exception {
        return new String(version.read().body(), StandardCharsets.UTF_8);
    }

    private void is(String json) {
        server.version = Result.of(new ServerVersion("v", json));
    }

    @Test
    void version_is_the_api_server_document() {
        is(DOCUMENT);
        try (ApiFixture served = ApiFixture.of(Map.of("server", server), "pods")) {
            RestResponse answer = served.client().get("/version");
            assertThat(answer.code()).isEqualTo(200);
            assertThat(answer.header("Content-Type")).isEqualTo("application/json");
            assertThat(answer.body()).isEqualTo(DOCUMENT);
            assertThat(served.client().send("POST", "/version", null).code()).isEqualTo(405);
            assertThat(served.client().get("/version/x").code()).isEqualTo(404);
        }
    }

    @Test
    void unknown_version_returns_503() throws Exception {
        Rejection rejection = catchThrowableOfType(Rejection.class, this::read);
        assertThat(rejection.reply().code()).isEqualTo(503);

        is(DOCUMENT);
        assertThat(read()).isEqualTo(DOCUMENT);
    }

    @Test
    void version_is_requested_again_after_five_minutes() throws Exception {
        is("1");
        assertThat(read()).isEqualTo("1");
        is("2");
        nanos.set(Duration.ofMinutes(5).toNanos() - 1);
        assertThat(read()).isEqualTo("1");
        nanos.set(Duration.ofMinutes(5).toNanos());
        assertThat(read()).isEqualTo("2");
    }

    @Test
    void unreachable_api_server_keeps_its_last_known_version() throws Exception {
        is("1");
        read();
        server.version = Result.failed(FakeForwardingApi.AWAY);
        nanos.set(Duration.ofHours(1).toNanos());
        assertThat(read()).isEqualTo("1");
    }
}
