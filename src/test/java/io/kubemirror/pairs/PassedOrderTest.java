package io.kubemirror.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** The API server does not know the parameters of feature.query, so nothing with them is passed. */
class PassedOrderTest {

    @Test
    void list_of_a_type_that_is_not_mirrored_is_refused_even_if_others_are_passed_on() {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror =
                        ApplicationLauncher.mirroring(
                                server.url(), "pods", "kubemirror.pass-through.mode=own")) {
            RestClient client = ApplicationLauncher.api(kubemirror);
            for (String query : List.of("sortBy=metadata.name", "count=only", "groupBy=a")) {
                RestResponse answer = client.get("/apis/apps/v1/deployments?" + query);

                assertThat(answer.code()).isEqualTo(400);
                assertThat(answer.body()).contains("is not supported: kubemirror does not mirror");
            }
        }
    }
}
