package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.Closer;
import io.kubemirror.testing.Manifests;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests discovery where requests are passed on (list-watch.md#di-16). */
class PassedDiscoveryTest {

    private static final String AGGREGATED =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

    @AutoClose private final Closer open = new Closer();
    private final ScriptedApiServer server = open.add(ScriptedApiServer.create());

    @ParameterizedTest
    @ValueSource(strings = {"/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1", "/version"})
    void documents_are_those_of_the_api_server(String path) {
        RestClient client = kubemirror("kubemirror.pass-through.mode=own");

        for (String accept : List.of("application/json", AGGREGATED)) {
            RestResponse direct = server.client().get(path, "Accept", accept);
            RestResponse passed = client.get(path, "Accept", accept);

            assertThat(passed.code()).isEqualTo(direct.code());
            assertThat(passed.body()).isEqualTo(direct.body());
            assertThat(passed.header("content-type").replace(" ", ""))
                    .isEqualTo(direct.header("content-type").replace(" ", ""));
            assertThat(passed.header("kubemirror-state")).isEqualTo("passed");
        }
    }

    @ParameterizedTest
    @CsvSource({"/apis, example.com", "/api/v1, pods", "/apis/example.com/v1, widgets"})
    void mirrored_types_are_discovered_without_the_api_server(String path, String expected) {
        RestClient client =
                kubemirror(
                        "kubemirror.resources[1].resource=widgets.example.com",
                        "kubemirror.pass-through.mode=own");
        server.awaitWatch(ServedTypes.WIDGETS);
        server.stop();

        RestResponse known = client.get(path);

        assertThat(known.code()).isEqualTo(200);
        assertThat(known.body()).contains(expected);
        assertThat(known.header("kubemirror-state")).isEqualTo("stale");
        assertThat(client.get("/apis/apps").code()).isEqualTo(503);
        assertThat(client.get("/openapi/v3").code()).isEqualTo(503);
    }

    @Test
    void only_known_clients_discover_types_without_the_api_server() {
        server.knowToken("t-anna", "anna");
        server.permit("anna", "get /apis");
        RestClient client =
                kubemirror(
                        "kubemirror.access.authentication=token-review",
                        "kubemirror.pass-through.mode=client");
        RestClient anna = client.withToken("t-anna");
        assertThat(anna.get("/apis").header("kubemirror-state")).isEqualTo("passed");
        assertThat(anna.get("/api").code()).isEqualTo(403);
        server.stop();

        assertThat(anna.get("/apis").header("kubemirror-state")).isEqualTo("stale");
        assertThat(anna.get("/api").code()).isEqualTo(403);
        assertThat(client.withToken("t-invented").get("/apis").code()).isEqualTo(503);
        assertThat(client.get("/apis").code()).isEqualTo(401);
        assertThat(anna.get("/apis", "Impersonate-User", "admin").code()).isEqualTo(503);
    }

    private RestClient kubemirror(String... settings) {
        server.create(Manifests.pod("a", "x"));
        var context = open.add(ApplicationLauncher.mirroring(server.url(), "pods", settings));
        server.awaitWatch(ServedTypes.PODS);
        return ApplicationLauncher.api(context);
    }
}
