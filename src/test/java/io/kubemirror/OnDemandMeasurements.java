package io.kubemirror;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Compares the first request for a type with 10,000 objects with the same request to the API
 * server. Run it by name; it is no test, because it depends on the speed of the machine.
 */
@WithApiServer(own = true)
class OnDemandMeasurements {

    private static final int OBJECTS = 10_000;
    private static final int ROUNDS = Integer.getInteger("rounds", 15);
    private static final String LIST = "/api/v1/configmaps";

    private final ApiServer server;

    OnDemandMeasurements(ApiServer server) {
        this.server = server;
    }

    @Test
    void first_request_takes_little_longer_than_at_the_server() throws Exception {
        server.ensureNamespace("a");
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            for (int i = 0; i < OBJECTS; i++) {
                String name = "x" + i;
                threads.execute(
                        () -> server.create(configMap("a", name).data("k", "v".repeat(500))));
            }
        }
        try (ConfigurableApplicationContext context =
                ApplicationLauncher.with(
                        "kubemirror.upstream.server=" + server.url(),
                        "kubemirror.resources[0].resource=*",
                        "kubemirror.resources[0].start=on-demand")) {
            int port =
                    context.getEnvironment()
                            .getRequiredProperty("local.server.port", Integer.class);
            RestClient client = RestClient.of(URI.create("http://127.0.0.1:" + port));
            List<Double> direct = new ArrayList<>();
            List<Double> first = new ArrayList<>();
            List<Double> next = new ArrayList<>();
            for (int round = 0; round < ROUNDS + 3; round++) {
                List<Double> ofRound =
                        List.of(millis(server.client()), millis(client), warm(client));
                if (round >= 3) {
                    direct.add(ofRound.get(0));
                    first.add(ofRound.get(1));
                    next.add(ofRound.get(2));
                }
                assertThat(context.getBean(OnDemandMirrors.class).reclaim(OnDemandTest.needing()))
                        .isTrue();
            }
            System.out.printf(
                    "MEASURED %d objects, medians of %d: API server %.0f ms, first %.0f ms, ratio"
                            + " %.2f, next %.0f ms%n",
                    OBJECTS,
                    ROUNDS,
                    median(direct),
                    median(first),
                    median(first) / median(direct),
                    median(next));
        }
    }

    private static double millis(RestClient client) {
        long begun = System.nanoTime();
        RestResponse answer = client.get(LIST);
        double millis = (System.nanoTime() - begun) / 1e6;
        assertThat(answer.code()).isEqualTo(200);
        return millis;
    }

    private static double warm(RestClient client) {
        await().until(
                        () ->
                                client.get(LIST + "?limit=1")
                                        .header("kubemirror-state")
                                        .equals("synced"));
        return millis(client);
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
