package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

/** The Compose file runs the image as it wants to be run. */
class ComposeTest {

    private static final Path FILE = Path.of("src/deploy/compose.yaml");

    private final JsonNode compose = YamlTrees.file(FILE);
    private final JsonNode service = compose.at("/services/kubemirror");

    @Test
    void image_is_that_of_the_chart_and_can_be_built() {
        Path context = FILE.resolveSibling(service.at("/build/context").asString()).normalize();

        assertThat(service.path("image").asString()).isEqualTo(ReleasedImage.reference());
        assertThat(context.resolve("Dockerfile")).exists();
    }

    /** The health check of the image would start a JVM every ten seconds. */
    @Test
    void readiness_is_asked_for_without_a_further_jvm() throws Exception {
        assertThat(service.at("/healthcheck/disable").asBoolean()).isTrue();
        JsonNode command = compose.at("/services/mirrored/command");
        URI probe = URI.create(command.get(command.size() - 1).asString());

        try (ScriptedApiServer server = ScriptedApiServer.create();
                var kubemirror = ApplicationLauncher.mirroring(server.url(), "pods")) {
            var _ = ApplicationLauncher.ready(kubemirror);
            assertThat(ApplicationLauncher.management(kubemirror).get(probe.getPath()).code())
                    .isEqualTo(200);
            assertThat(probe.getPort())
                    .isEqualTo(
                            YamlTrees.file(Path.of("src/main/resources/application.yaml"))
                                    .at("/management/server/port")
                                    .asInt());
        }
    }

    @Test
    void process_accepts_the_configuration(@TempDir Path directory) throws Exception {
        Files.writeString(
                directory.resolve("application.yaml"),
                compose.at("/configs/application/content").asString());

        try (var started =
                ApplicationLauncher.with(
                        "spring.config.additional-location=file:" + directory + "/")) {
            assertThat(started.getEnvironment().getProperty("kubemirror.resources[0].resource"))
                    .isEqualTo("pods");
        }
    }
}
