package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares what clients see while objects change, one scenario after another. */
@WithApiServer(
        own = true,
        flags = "--feature-gates=ShardedListAndWatch=true," + ParityObjects.QUIET)
@TestInstance(Lifecycle.PER_CLASS)
class ScenarioParityTest {

    private final AtomicInteger number = new AtomicInteger();
    @AutoClose private final ParityFixture parityFixture;

    ScenarioParityTest(ApiServer server) {
        ParityObjects.fill(server);
        parityFixture = ParityFixture.on(server, ParityObjects.MIRRORED);
    }

    static List<ParityScenario> scenarioList() {
        return ParityScenarios.all();
    }

    @ParameterizedTest
    @MethodSource("scenarioList")
    void mirror_matches_api_server_in_each_scenario(ParityScenario parityScenario) {
        parityFixture.assumeServed(parityScenario.rows());
        try (ScenarioContext stage =
                new ScenarioContext(parityFixture, "story-" + number.incrementAndGet())) {
            parityScenario.plot().accept(stage);
            assertThat(stage.mirrored()).isEqualTo(stage.original());
        }
    }
}
