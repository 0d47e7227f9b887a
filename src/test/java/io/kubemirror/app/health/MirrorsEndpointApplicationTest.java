package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Tests the diagnosis of the whole application. */
class MirrorsEndpointApplicationTest {

    @AutoClose
    private static final ConfigurableApplicationContext APPLICATION =
            ApplicationLauncher.with("kubemirror.resources[0].resource=pods");

    @Test
    void mirrors_endpoint_reports_findings() {
        RestResponse answer = management("/actuator/mirrors");

        assertThat(answer.code()).isEqualTo(200);
        assertThat(answer.body())
                .contains(
                        "\"severity\":\"error\",\"kind\":\"not-synchronized\",\"mirror\":\"pods\"");
        assertThat(management("/actuator/mirrors/pods").body()).contains("\"name\":\"pods\"");
        assertThat(management("/actuator/mirrors/pods/nowhere").code()).isEqualTo(404);
    }

    @Test
    void mirrors_endpoint_omits_credentials() {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.upstream.server=http://root:hunter2@127.0.0.1:1")) {
            assertThat(management(context, "/actuator/mirrors").body())
                    .contains("http://127.0.0.1:1")
                    .doesNotContain("hunter2");
        }
    }

    private static RestResponse management(String path) {
        return management(APPLICATION, path);
    }

    private static RestResponse management(
            ConfigurableApplicationContext application, String path) {
        return ApplicationLauncher.management(application).get(path);
    }
}
