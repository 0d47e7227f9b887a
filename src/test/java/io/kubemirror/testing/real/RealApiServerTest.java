package io.kubemirror.testing.real;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.widget;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** Tests the real API servers that other tests use. */
@WithApiServer(own = true)
class RealApiServerTest {

    @Test
    void api_server_stores_and_returns_objects(ApiServer server, TestNamespace namespace) {
        String name = namespace.name();
        long before = server.revision();
        long created = JsonTrees.revision(server.create(pod(name, "x").label("app", "v")));
        server.patchStatus(PODS, name, "x", "{\"status\": {\"phase\": \"Running\"}}");
        long replaced = JsonTrees.revision(server.replace(pod(name, "x").label("app", "w")));

        assertThat(created).isGreaterThan(before);
        assertThat(replaced).isGreaterThan(created);
        var stored = server.client().get("/api/v1/namespaces/" + name + "/pods/x").json();
        assertThat(stored.at("/status/phase").asString()).isEqualTo("Running");
        assertThat(stored.at("/metadata/labels/app").asString()).isEqualTo("w");
        server.delete(PODS, name, "x");
        assertThat(server.list(PODS).path("items"))
                .noneMatch(object -> JsonTrees.namespace(object).equals(name));
        assertThat(server.revision()).isGreaterThan(replaced);
    }

    @Test
    void custom_type_is_served_once_it_is_defined(ApiServer server, TestNamespace namespace) {
        server.define(WIDGETS);
        server.define(WIDGETS);
        server.create(widget(namespace.name(), "w", 3));

        assertThat(server.list(WIDGETS).at("/items/0/spec/size").asInt()).isEqualTo(3);
        assertThat(server.client().get("/apis/example.com/v1").body()).contains("widgets");
    }

    @Test
    void restarted_server_keeps_its_address_and_objects(ApiServer server, TestNamespace namespace) {
        server.create(pod(namespace.name(), "y"));
        server.stop();
        assertThatThrownBy(() -> server.client().get("/readyz"))
                .isInstanceOf(UncheckedIOException.class);
        server.start();

        assertThat(server.client().get("/api/v1/namespaces/" + namespace.name() + "/pods/y").code())
                .isEqualTo(200);
    }

    @Test
    void tls_server_accepts_only_its_token() {
        Optional<ServerBinaries> serverBinaries = ServerBinaries.find();
        Assumptions.assumeTrue(
                serverBinaries.isPresent(), "only executables can be started over TLS");
        try (RealApiServer server =
                RealApiServer.start(
                        serverBinaries.orElseThrow(), true, List.of("--anonymous-auth=false"))) {
            assertThat(server.url()).hasScheme("https");
            assertThat(server.client().get("/api/v1/namespaces").code()).isEqualTo(200);
            assertThat(server.client().withToken("wrong").get("/api/v1/namespaces").code())
                    .isEqualTo(401);
            assertThat(server.kubeconfig()).get().asString().contains(server.url().toString());
        }
    }

    @Test
    void server_that_fails_to_start_reports_its_log() {
        Optional<ServerBinaries> serverBinaries = ServerBinaries.find();
        Assumptions.assumeTrue(
                serverBinaries.isPresent(), "only executables can be given wrong flags");

        assertThatThrownBy(
                        () ->
                                RealApiServer.start(
                                        serverBinaries.orElseThrow(), List.of("--no-such-flag")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no-such-flag");
    }
}
