package io.kubemirror.testing.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;

/** Servers without watch-lists refuse them alike. */
@WithApiServer(own = true, flags = "--feature-gates=WatchList=false")
class WatchListOffParityTest {

    @Test
    void scripted_server_rejects_a_disabled_watch_list_like_api_server(ApiServer original) {
        Scenario scenario = new Scenario("no watch-list", WatchScenarios::withoutWatchList);
        assumeThat(original).as("a server with nothing in it").isInstanceOf(RealApiServer.class);
        try (ScriptedApiServer scripted = ScriptedApiServer.create()) {
            scripted.watchList(false);
            scripted.advanceTo(1_000);
            assertThat(scenario.runOn(scripted)).isEqualTo(scenario.runOn(original));
        }
    }
}
