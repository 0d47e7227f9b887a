package io.kubemirror;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** What the kubelet and Prometheus get while no API server is there. */
class ManagementTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ConfigurableApplicationContext APPLICATION =
            Launch.with("kubemirror.resources[0].resource=pods");

    @AfterAll
    static void stop() {
        APPLICATION.close();
        CLIENT.close();
    }

    @Test
    void the_process_is_alive() throws Exception {
        assertThat(management("/actuator/health/liveness").statusCode()).isEqualTo(200);
    }

    @Test
    void the_process_is_not_ready_and_says_why() throws Exception {
        HttpResponse<String> readiness = management("/actuator/health/readiness");

        assertThat(readiness.statusCode()).isEqualTo(503);
        assertThat(readiness.body())
                .contains("\"pods\":{\"state\":", "\"synced\":false", "\"lastContact\":\"never\"");
    }

    /** DI-14. */
    @Test
    void clients_are_told_in_the_words_of_an_api_server() throws Exception {
        HttpResponse<String> alive = api("/livez");
        assertThat(alive.statusCode()).isEqualTo(200);
        assertThat(alive.body()).isEqualTo("ok");
        assertThat(alive.headers().firstValue("Content-Type")).contains("text/plain;charset=utf-8");
        assertThat(alive.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(api("/livez?verbose").body())
                .isEqualTo("[+]livenessState ok\nlivez check passed\n");
    }

    /** DI-14. */
    @Test
    void clients_are_told_which_check_fails_but_not_why() throws Exception {
        for (String path : new String[] {"readyz", "healthz"}) {
            HttpResponse<String> answer = api("/" + path);
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body())
                    .isEqualTo(
                            "[-]mirrors failed: reason withheld\n[+]readinessState ok\n"
                                    + path
                                    + " check failed\n");
        }
    }

    @Test
    void health_that_operators_do_not_expose_is_told_nobody() throws Exception {
        try (var context =
                Launch.with(
                        "kubemirror.resources[0].resource=pods",
                        "management.endpoints.web.exposure.include=prometheus")) {
            assertThat(get(context, "local.server.port", "/livez").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void prometheus_finds_the_mirror_and_the_process() throws Exception {
        assertThat(management("/actuator/prometheus").body())
                .contains("kubemirror_synced{namespace=\"\",resource=\"pods\",selector=\"\"} 0.0")
                .contains("jvm_memory_used_bytes{");
    }

    @Test
    void probes_come_through_when_the_api_takes_no_connection_any_more() throws Exception {
        try (var context =
                        Launch.with(
                                "kubemirror.resources[0].resource=pods",
                                "kubemirror.connections.max=1");
                Socket taken =
                        new Socket(
                                InetAddress.getLoopbackAddress(),
                                Integer.parseInt(port(context, "local.server.port")))) {
            assertThat(taken.isConnected()).isTrue();
            assertThat(get(context, "local.server.port", "/version").statusCode()).isEqualTo(429);
            for (int i = 0; i < 3; i++) {
                String probe = "/actuator/health/liveness";
                assertThat(get(context, "local.management.port", probe).statusCode())
                        .isEqualTo(200);
            }
            assertThat(get(context, "local.management.port", "/actuator/prometheus").body())
                    .contains("kubemirror_connections_refused_total{reason=\"total\"} 1.0")
                    .containsPattern("kubemirror_connections_open [12]\\.0");
        }
    }

    @Test
    void nothing_that_shows_configuration_or_memory_is_exposed() throws Exception {
        for (String endpoint : new String[] {"env", "configprops", "beans", "heapdump"}) {
            assertThat(management("/actuator/" + endpoint).statusCode())
                    .as(endpoint)
                    .isEqualTo(404);
        }
    }

    private static HttpResponse<String> management(String path) throws Exception {
        return get(APPLICATION, "local.management.port", path);
    }

    private static HttpResponse<String> api(String path) throws Exception {
        return get(APPLICATION, "local.server.port", path);
    }

    private static HttpResponse<String> get(
            ConfigurableApplicationContext application, String port, String path)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port(application, port) + path);
        return CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    private static String port(ConfigurableApplicationContext application, String port) {
        return application.getEnvironment().getRequiredProperty(port);
    }
}
