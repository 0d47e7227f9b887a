package io.kubemirror.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;

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

    @Test
    void container_runs_with_minimal_privileges() {
        assertThat(service.path("read_only").asBoolean()).isTrue();
        assertThat(service.path("cap_drop").toString()).isEqualTo("[\"ALL\"]");
        assertThat(service.path("security_opt").toString()).contains("no-new-privileges:true");
        assertThat(service.path("tmpfs").toString()).isEqualTo("[\"/tmp\"]");
    }

    @Test
    void configuration_and_kubeconfig_are_where_the_process_reads_them() throws Exception {
        String dockerfile = Files.readString(Path.of("Dockerfile"));
        String kubeconfig = service.at("/environment/KUBECONFIG").asString();

        assertThat(service.path("volumes").path(0).asString()).endsWith(":" + kubeconfig + ":ro");
        assertThat(dockerfile).contains(service.at("/configs/0/target").asString());
        assertThat(compose.path("configs").has(service.at("/configs/0/source").asString()))
                .isTrue();
    }

    /** By the health check of the image. */
    @Test
    void application_waits_until_everything_is_mirrored() throws Exception {
        JsonNode application = compose.at("/services/application");

        assertThat(application.at("/depends_on/kubemirror/condition").asString())
                .isEqualTo("service_healthy");
        assertThat(Files.readString(Path.of("Dockerfile"))).contains("HEALTHCHECK");
        assertThat(application.path("network_mode")).isEqualTo(service.path("network_mode"));
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
