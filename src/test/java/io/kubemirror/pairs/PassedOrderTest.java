package io.kubemirror.pairs;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** The API server and streams do not know the order and counts of lists, so neither gets them. */
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

    /** Only a mirror knows an order, so the first request of a type is not for the API server. */
    @ParameterizedTest
    @ValueSource(strings = {"own", "client"})
    void first_list_of_a_type_on_demand_may_be_sorted(String passThrough) {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror =
                        ApplicationLauncher.mirroring(
                                server.url(),
                                "*",
                                "kubemirror.resources[0].start=on-demand",
                                "kubemirror.pass-through.mode=" + passThrough)) {
            server.create(configMap("a", "x"));
            server.create(configMap("b", "w"));
            server.knowToken("t-anna", "anna");
            server.permit("anna", "list configmaps");
            RestClient all = ApplicationLauncher.api(kubemirror);
            RestClient client = passThrough.equals("client") ? all.withToken("t-anna") : all;
            String target = "/api/v1/configmaps?sortBy=-metadata.name";

            assertThat(client.get(target).code()).isEqualTo(429);
            RestResponse sorted =
                    await().until(() -> client.get(target), answer -> answer.code() == 200);
            assertThat(sorted.json().path("items").valueStream().map(JsonTrees::name))
                    .containsExactly("x", "w");
        }
    }

    @ParameterizedTest
    @CsvSource({"sortBy=metadata.name, sortBy", "count=only, count"})
    void stream_has_no_order(String query, String parameter) {
        try (ScriptedApiServer server = ScriptedApiServer.create();
                ConfigurableApplicationContext kubemirror =
                        ApplicationLauncher.mirroring(server.url(), "pods")) {
            RestResponse answer =
                    ApplicationLauncher.api(kubemirror)
                            .get("/kubemirror/v1/watch?resource=pods&" + query);

            assertThat(answer.code()).isEqualTo(400);
            assertThat(answer.body()).contains(parameter + " is not supported");
        }
    }
}
