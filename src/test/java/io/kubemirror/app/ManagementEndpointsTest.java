package io.kubemirror.app;

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

/** Tests the responses that the kubelet and Prometheus get while the API server is unavailable. */
class ManagementEndpointsTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final ConfigurableApplicationContext APPLICATION =
            ApplicationLauncher.with("kubemirror.resources[0].resource=pods");

    @AfterAll
    static void stop() {
        APPLICATION.close();
        CLIENT.close();
    }

    @Test
    void liveness_succeeds_without_an_api_server() throws Exception {
        assertThat(management("/actuator/health/liveness").statusCode()).isEqualTo(200);
    }

    @Test
    void readiness_fails_before_sync_and_reports_mirror_states() throws Exception {
        HttpResponse<String> readiness = management("/actuator/health/readiness");

        assertThat(readiness.statusCode()).isEqualTo(503);
        assertThat(readiness.body())
                .contains("\"pods\":{\"state\":", "\"synced\":false", "\"lastContact\":\"never\"");
    }

    /**
     * /healthz, /livez, and /readyz answer ok in plain text, with ?verbose one line per check
     * (list-watch.md#di-14).
     */
    @Test
    void livez_responds_like_api_server() throws Exception {
        HttpResponse<String> alive = api("/livez");
        assertThat(alive.statusCode()).isEqualTo(200);
        assertThat(alive.body()).isEqualTo("ok");
        assertThat(alive.headers().firstValue("Content-Type")).contains("text/plain;charset=utf-8");
        assertThat(alive.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(api("/livez?verbose").body())
                .isEqualTo("[+]livenessState ok\nlivez check passed\n");
    }

    /**
     * /healthz, /livez, and /readyz answer ok in plain text, with ?verbose one line per check
     * (list-watch.md#di-14).
     */
    @Test
    void readyz_and_healthz_name_the_failed_check_without_the_reason() throws Exception {
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
    void livez_is_not_found_if_health_is_not_exposed() throws Exception {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "management.endpoints.web.exposure.include=prometheus")) {
            assertThat(get(context, "local.server.port", "/livez").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void prometheus_endpoint_exposes_mirror_and_jvm_metrics() throws Exception {
        assertThat(management("/actuator/prometheus").body())
                .contains(
                        "kubemirror_synced{resource=\"pods\",resource_namespace=\"\",selector=\"\"}"
                                + " 0.0")
                .contains("jvm_memory_used_bytes{");
    }

    @Test
    void management_port_serves_probes_when_the_api_connection_limit_is_reached() throws Exception {
        try (var context =
                        ApplicationLauncher.with(
                                "kubemirror.resources[0].resource=pods",
                                "kubemirror.connections.max=1");
                Socket taken =
                        new Socket(
                                InetAddress.getLoopbackAddress(),
                                ApplicationLauncher.url(context, "local.server.port").getPort())) {
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
    void endpoints_with_configuration_or_memory_are_not_exposed() throws Exception {
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
        URI uri = URI.create(ApplicationLauncher.url(application, port) + path);
        return CLIENT.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }
}
