package io.kubemirror.feature.files;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WatchReader;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

/** The whole application with a directory of files in place of an API server. */
class FilesApplicationTest {

    private static final String WIDGETS = "/apis/example.com/v1/widgets";

    private static final String WIDGET =
            """
            apiVersion: example.com/v1
            kind: Widget
            metadata: {name: w, namespace: shop}
            spec: {size: 1}
            """;

    @TempDir private Path directory;

    /** That of {@code mvn spring-boot:run -Dspring-boot.run.profiles=demo}. */
    @Test
    void demonstration_serves_the_objects_of_its_manifests() {
        try (ConfigurableApplicationContext application =
                ApplicationLauncher.with(
                        "spring.config.additional-location=file:src/demo/",
                        "spring.profiles.active=demo",
                        "kubemirror.upstream.server=")) {
            RestClient client = ApplicationLauncher.ready(application);

            assertThat(client.get("/api/v1/pods").json().path("items")).hasSize(2);
            assertThat(client.get("/apis/apps/v1/deployments").json().path("items")).hasSize(1);
        }
    }

    @Test
    void directory_that_changes_is_listed_and_watched_without_an_api_server() throws Exception {
        Path file = directory.resolve("widgets.yaml");
        Files.writeString(file, WIDGET);
        try (ConfigurableApplicationContext application =
                ApplicationLauncher.with(
                        "kubemirror.upstream.files.directory=" + directory,
                        "kubemirror.resources[0].resource=widgets.example.com")) {
            RestClient client = ApplicationLauncher.api(application);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> client.get(WIDGETS).code() == 200);
            JsonNode list = client.get(WIDGETS).json();
            assertThat(list.at("/items/0/spec/size").asInt()).isEqualTo(1);
            assertThat(client.get("/version").code()).isEqualTo(404);

            String revision = list.at("/metadata/resourceVersion").asString();
            try (WatchReader watch =
                    client.watch(WIDGETS + "?watch=true&resourceVersion=" + revision)) {
                Path next = directory.resolve("next");
                Files.writeString(next, WIDGET.replace("size: 1", "size: 2"));
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
                JsonNode changed = watch.next();
                assertThat(changed.path("type").asString()).isEqualTo("MODIFIED");
                assertThat(changed.at("/object/spec/size").asInt()).isEqualTo(2);
                Files.delete(file);
                assertThat(watch.next().path("type").asString()).isEqualTo("DELETED");
            }
            assertThat(client.get(WIDGETS).json().path("items")).isEmpty();
        }
    }
}
