package io.kubemirror.testing.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;

/** The scripted server answers as a real one does. */
@WithApiServer(own = true)
class ScriptedApiServerParityTest {

    static List<Scenario> scenarios() {
        return List.of(
                new Scenario("lists", Scenario::lists),
                new Scenario("pages", Scenario::pages),
                new Scenario("selectors", Scenario::selectors),
                new Scenario("metadata", WatchScenarios::metadata),
                new Scenario("mistakes", Scenario::mistakes),
                new Scenario("bad tokens", Scenario::badTokens),
                new Scenario("unknown things", Scenario::unknownThings),
                new Scenario("future revisions", Scenario::future),
                new Scenario("writes", Scenario::writes),
                new Scenario("custom resources", CustomScenarios::resources),
                new Scenario("discovery", CustomScenarios::discovery),
                new Scenario("starts of watches", WatchScenarios::starts),
                new Scenario("initial events", WatchScenarios::initialEvents),
                new Scenario("watches with selectors", WatchScenarios::selectors),
                new Scenario("watches of the future", WatchScenarios::future),
                new Scenario("deprecated watch paths", WatchScenarios::deprecatedPaths),
                new Scenario("watches from the past", WatchScenarios::past));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void scripted_server_responds_like_api_server(Scenario scenario, ApiServer original) {
        assumeThat(original).as("a server with nothing in it").isInstanceOf(RealApiServer.class);
        try (ScriptedApiServer scripted = ScriptedApiServer.create()) {
            scripted.advanceTo(1_000);
            assertThat(scenario.runOn(scripted)).isEqualTo(scenario.runOn(original));
        }
    }
}
