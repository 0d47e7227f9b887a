package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/** Tests the responses that the kubelet and Prometheus get while the API server is unavailable. */
class ManagementEndpointsTest {

    @AutoClose
    private static final ConfigurableApplicationContext APPLICATION =
            ApplicationLauncher.with("kubemirror.resources[0].resource=pods");

    /**
     * /healthz, /livez, and /readyz answer ok in plain text, with ?verbose one line per check
     * (list-watch.md#di-14).
     */
    @Test
    void livez_responds_like_api_server() {
        RestResponse alive = api("/livez");
        assertThat(alive.code()).isEqualTo(200);
        assertThat(alive.body()).isEqualTo("ok");
        assertThat(alive.header("content-type")).isEqualTo("text/plain;charset=utf-8");
        assertThat(alive.header("x-content-type-options")).isEqualTo("nosniff");
        assertThat(api("/livez?verbose").body())
                .isEqualTo("[+]livenessState ok\nlivez check passed\n");
    }

    /**
     * /healthz, /livez, and /readyz answer ok in plain text, with ?verbose one line per check
     * (list-watch.md#di-14).
     */
    @Test
    void readyz_and_healthz_name_the_failed_check_without_the_reason() {
        for (String path : new String[] {"readyz", "healthz"}) {
            RestResponse answer = api("/" + path);
            assertThat(answer.code()).isEqualTo(503);
            assertThat(answer.body())
                    .isEqualTo(
                            "[-]mirrors failed: reason withheld\n[+]readinessState ok\n"
                                    + path
                                    + " check failed\n");
        }
    }

    @Test
    void livez_is_not_found_if_health_is_not_exposed() {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "management.endpoints.web.exposure.include=prometheus")) {
            assertThat(get(context, "local.server.port", "/livez").code()).isEqualTo(404);
        }
    }

    @Test
    void management_port_serves_probes_when_the_api_connection_limit_is_reached()
            throws IOException {
        try (var context =
                        ApplicationLauncher.with(
                                "kubemirror.resources[0].resource=pods",
                                "kubemirror.connections.max=1");
                Socket taken =
                        new Socket(
                                InetAddress.getLoopbackAddress(),
                                ApplicationLauncher.url(context, "local.server.port").getPort())) {
            assertThat(taken.isConnected()).isTrue();
            assertThat(get(context, "local.server.port", "/version").code()).isEqualTo(429);
            for (int i = 0; i < 3; i++) {
                String probe = "/actuator/health/liveness";
                assertThat(get(context, "local.management.port", probe).code()).isEqualTo(200);
            }
            assertThat(get(context, "local.management.port", "/actuator/prometheus").body())
                    .contains("kubemirror_connections_refused_total{reason=\"total\"} 1.0")
                    .containsPattern("kubemirror_connections_open [12]\\.0");
        }
    }

    @Test
    void endpoints_with_configuration_or_memory_are_not_exposed() {
        for (String endpoint : new String[] {"env", "configprops", "beans", "heapdump"}) {
            assertThat(management("/actuator/" + endpoint).code()).as(endpoint).isEqualTo(404);
        }
    }

    private static RestResponse management(String path) {
        return get(APPLICATION, "local.management.port", path);
    }

    private static RestResponse api(String path) {
        return get(APPLICATION, "local.server.port", path);
    }

    private static RestResponse get(
            ConfigurableApplicationContext application, String port, String path) {
        return ApplicationLauncher.client(application, port).get(path);
    }
}
