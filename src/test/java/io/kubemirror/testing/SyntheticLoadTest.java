package io.kubemirror.testing;

import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;
import static io.kubemirror.testing.scripted.ServedTypes.DEPLOYMENTS;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.StoredEvent;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Tests the synthetic load. */
class SyntheticLoadTest {

    @Test
    void synthetic_pods_start_run_succeed_and_are_deleted() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            SyntheticLoad life = new SyntheticLoad(server, "default");
            for (int i = 0; i < 8; i++) {
                life.step();
            }

            assertThat(server.objects(PODS))
                    .extracting(SyntheticLoadTest::phase)
                    .containsExactly(
                            "walker-3 Succeeded",
                            "walker-4 Succeeded",
                            "walker-5 Running",
                            "walker-6 Running",
                            "walker-7 Running",
                            "walker-8 Pending");
            assertThat(server.objects(CONFIGMAPS).getLast().at("/data/step").asString())
                    .isEqualTo("8");
        }
    }

    @Test
    void synthetic_deployment_is_scaled_periodically() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            SyntheticLoad life = new SyntheticLoad(server, "default");
            for (int i = 0; i < 30; i++) {
                life.step();
            }

            List<StoredEvent> scalings = server.history(DEPLOYMENTS);

            assertThat(scalings)
                    .extracting(event -> event.object().at("/spec/replicas").asInt())
                    .containsExactly(1, 2, 3, 1);
        }
    }

    @Test
    void scheduled_load_continues_after_a_failed_step() {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
                SyntheticLoad life = new SyntheticLoad(server, "default");
                WatchReader watch =
                        server.client()
                                .watch(
                                        "/api/v1/configmaps?watch=1"
                                                + "&fieldSelector=metadata.name=ticker")) {
            server.create(Manifests.pod("default", "walker-2"));
            life.begin(scheduler, Duration.ofMillis(1));

            assertThat(watch.next(4))
                    .extracting(frame -> frame.at("/object/data/step").asString())
                    .containsExactly("0", "1", "3", "4");
        }
    }

    private static String phase(ObjectNode pod) {
        return JsonTrees.name(pod) + " " + pod.at("/status/phase").asString();
    }
}
