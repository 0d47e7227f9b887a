package io.kubemirror.testing.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;

/** Servers with a short history report expired revisions alike. */
@WithApiServer(
        own = true,
        flags = {
            "--etcd-compaction-interval=500ms",
            "--feature-gates=ListFromCacheSnapshot=false",
            "--watch-cache-sizes=secrets#0"
        })
class ExpiryParityTest {

    @Test
    void scripted_server_rejects_an_expired_token_like_api_server(ApiServer original) {
        Scenario scenario = new Scenario("expiry", WatchScenarios::expiry);
        assumeThat(original).as("a server with nothing in it").isInstanceOf(RealApiServer.class);
        try (ScriptedApiServer scripted = ScriptedApiServer.create()) {
            scripted.advanceTo(1_000);
            assertThat(scenario.runOn(scripted)).isEqualTo(scenario.runOn(original));
        }
    }
}
