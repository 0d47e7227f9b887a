package io.kubemirror.app.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.app.ApplicationLauncher;

import org.junit.jupiter.api.Test;

/** Tests the diagnosis of the whole application. */
class MirrorsEndpointApplicationTest {

    @Test
    void mirrors_endpoint_omits_credentials() {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.upstream.server=http://root:hunter2@127.0.0.1:1")) {
            assertThat(ApplicationLauncher.management(context).get("/actuator/mirrors").body())
                    .contains("http://127.0.0.1:1")
                    .doesNotContain("hunter2");
        }
    }
}
