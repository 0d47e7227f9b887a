package io.kubemirror.testground;

import static io.kubemirror.testground.Types.CONFIGMAPS;
import static io.kubemirror.testground.Types.DEPLOYMENTS;
import static io.kubemirror.testground.Types.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** What happens when nothing else does. */
class SyntheticLifeTest {

    @Test
    void pods_come_run_succeed_and_go() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            SyntheticLife life = new SyntheticLife(server, "default");
            for (int i = 0; i < 8; i++) {
                life.step();
            }

            assertThat(server.objects(PODS))
                    .extracting(SyntheticLifeTest::phase)
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
    void the_deployment_is_scaled_now_and_then() {
        try (ScriptedApiServer server = ScriptedApiServer.create()) {
            SyntheticLife life = new SyntheticLife(server, "default");
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
    void it_goes_on_by_itself_and_survives_a_failing_step() {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
                SyntheticLife life = new SyntheticLife(server, "default");
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
        return Json.name(pod) + " " + pod.at("/status/phase").asString();
    }
}
