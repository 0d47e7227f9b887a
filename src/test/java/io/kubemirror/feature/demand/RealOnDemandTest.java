package io.kubemirror.feature.demand;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.ResourceType;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.real.WithApiServer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Tests mirrors on demand of all resources of a real API server. */
@WithApiServer
@Timeout(300)
class RealOnDemandTest {

    private static final ResourceType GIZMOS =
            new ResourceType(
                    "ondemand.example.com",
                    "v1",
                    "Gizmo",
                    "gizmos",
                    "gizmo",
                    true,
                    List.of(),
                    List.of());

    private static final String PATH = "/apis/ondemand.example.com/v1/gizmos";
    private static final String CONFIGMAPS = "/api/v1/namespaces/on-demand/configmaps";

    private final ApiServer server;
    @TempDir private Path directory;
    private @Nullable ConfigurableApplicationContext kubemirror;

    RealOnDemandTest(ApiServer server) {
        this.server = server;
    }

    @BeforeEach
    void start() throws IOException {
        server.ensureNamespace("on-demand");
        List<String> settings = new ArrayList<>();
        settings.add("kubemirror.upstream.server=" + server.url());
        settings.add("kubemirror.resources[0].resource=*");
        settings.add("kubemirror.resources[0].start=on-demand");
        if (server.kubeconfig().isPresent()) {
            Path file = Files.writeString(directory.resolve("config"), server.kubeconfig().get());
            settings.set(0, "kubemirror.upstream.server=");
            settings.add("kubemirror.upstream.kubeconfig=" + file);
        }
        kubemirror = ApplicationLauncher.with(settings.toArray(String[]::new));
    }

    @AfterEach
    void stop() {
        if (kubemirror != null) {
            kubemirror.close();
        }
        server.withdraw(GIZMOS);
    }

    private ConfigurableApplicationContext kubemirror() {
        return Objects.requireNonNull(kubemirror);
    }

    private RestClient client() {
        return ApplicationLauncher.client(kubemirror(), "local.server.port");
    }

    private RestResponse mirrored(String path) {
        return await().until(
                        () -> client().get(path),
                        answer -> answer.header("kubemirror-state").equals("synced"));
    }

    /** The API server serves a definition some time after it has accepted it, as this waits for. */
    @Test
    void custom_resource_that_is_defined_later_is_served_and_disappears() {
        assertThat(client().get(PATH).code()).isEqualTo(404);

        server.define(GIZMOS);
        await().until(() -> server.client().get(PATH).code() == 200);
        await().until(() -> client().get(PATH).code() == 200);

        mirrored(PATH);
        server.withdraw(GIZMOS);
        await().until(() -> client().get(PATH).code() == 404);
        await().until(
                        () ->
                                kubemirror().getBean(MirrorSet.class).stream()
                                        .noneMatch(this::isOfGizmos));
    }

    private boolean isOfGizmos(Mirror mirror) {
        return mirror.scope().resource().plural().equals("gizmos");
    }

    @Test
    void discovery_shows_what_the_server_lists_and_watches() {
        assertThat(watchable(client(), "/api/v1")).isEqualTo(watchable(server.client(), "/api/v1"));
        assertThat(watchable(client(), "/apis/apps/v1"))
                .isEqualTo(watchable(server.client(), "/apis/apps/v1"));
    }

    private static Set<String> watchable(RestClient client, String path) {
        return client.get(path)
                .json()
                .path("resources")
                .valueStream()
                .filter(resource -> resource.path("verbs").toString().contains("watch"))
                .map(resource -> resource.path("name").asString())
                .filter(name -> !name.equals("secrets"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void client_that_lists_and_then_watches_misses_nothing() {
        server.create(configMap("on-demand", "first"));
        long listed = JsonTrees.revision(client().get(CONFIGMAPS).json());
        mirrored(CONFIGMAPS);
        try (WatchReader watch =
                client().watch(CONFIGMAPS + "?watch=1&resourceVersion=" + listed)) {
            server.create(configMap("on-demand", "second"));
            // The history begins with the mirror: the client may have to list again.
            assertThat(watch.next().toString())
                    .containsAnyOf("\"name\":\"second\"", "\"code\":410");
        }
        await().untilAsserted(
                        () ->
                                assertThat(mirrored(CONFIGMAPS).body())
                                        .contains("\"first\"", "\"second\""));
    }
}
