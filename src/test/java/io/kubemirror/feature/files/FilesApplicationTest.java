package io.kubemirror.feature.files;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole application with a directory of files in place of an API server. */
class FilesApplicationTest {

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
}
