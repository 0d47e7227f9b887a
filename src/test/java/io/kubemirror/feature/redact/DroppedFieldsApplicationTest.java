package io.kubemirror.feature.redact;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WaitLimit;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;

import java.util.List;

/** Tests what clients of the whole application see of fields that are dropped. */
@Timeout(120)
class DroppedFieldsApplicationTest {

    private static final String RUNNING = "/api/v1/pods?fieldSelector=status.phase%3DRunning";

    @Test
    void field_selector_supports_dropped_fields_and_other_updates_of_them_are_ignored() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            server.create(pod("a", "x").phase("Pending"));
            server.create(pod("a", "y").phase("Running"));
            try (ConfigurableApplicationContext kubemirror =
                    ApplicationLauncher.with(
                            "kubemirror.upstream.server=" + server.url(),
                            "kubemirror.resources[0].resource=pods",
                            "kubemirror.resources[0].drop-fields=status")) {
                RestClient local = ApplicationLauncher.client(kubemirror, "local.server.port");
                WaitLimit.until(() -> local.get("/readyz").code() == 200);
                assertThat(names(local)).containsExactly("y");
                try (WatchReader watch = local.watch(RUNNING + "&watch=1")) {
                    assertThat(brief(watch.next())).isEqualTo("ADDED a/y");
                    server.patchStatus(PODS, "a", "y", "{\"status\":{\"message\":\"hidden\"}}");
                    server.patchStatus(PODS, "a", "x", "{\"status\":{\"phase\":\"Running\"}}");

                    JsonNode event = watch.next();
                    assertThat(brief(event)).isEqualTo("ADDED a/x");
                    assertThat(event.path("object").has("status")).isFalse();
                }
                assertThat(names(local)).containsExactly("x", "y");
                assertThat(
                                ApplicationLauncher.client(kubemirror, "local.management.port")
                                        .get("/actuator/prometheus")
                                        .body())
                        .containsPattern("events_ignored_total\\{.*reason=\"unchanged\".*} 1\\.0");
            }
        }
    }

    private static List<String> names(RestClient local) {
        return local.get(RUNNING).json().path("items").valueStream().map(JsonTrees::name).toList();
    }

    private static String brief(JsonNode event) {
        return event.path("type").asString() + " " + JsonTrees.key(event.path("object"));
    }
}
