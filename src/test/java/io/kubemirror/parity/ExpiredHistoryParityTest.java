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

/** Compares responses when both sides have a very short history, and one type cannot be listed. */
@WithApiServer(
        own = true,
        flags = {
            "--etcd-compaction-interval=500ms",
            "--feature-gates=ListFromCacheSnapshot=false," + ParityObjects.QUIET,
            "--watch-cache-sizes=secrets#0"
        })
@TestInstance(Lifecycle.PER_CLASS)
class ExpiredHistoryParityTest {

    private final AtomicInteger number = new AtomicInteger();
    @AutoClose private final ParityFixture parityFixture;

    ExpiredHistoryParityTest(ApiServer server) {
        ParityObjects.fillWithMoons(server);
        parityFixture = ParityFixture.forgetting(server);
    }

    static List<ParityScenario> scenarioList() {
        return ParityScenarios.expired();
    }

    @ParameterizedTest
    @MethodSource("scenarioList")
    void mirror_matches_api_server_after_its_history_expires(ParityScenario parityScenario) {
        try (ScenarioContext stage =
                new ScenarioContext(parityFixture, "story-" + number.incrementAndGet())) {
            parityScenario.plot().accept(stage);
            assertThat(stage.mirrored()).isEqualTo(stage.original());
        }
    }
}
