package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.ExternalAddress;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Tests the responses that the kubelet and Prometheus get while the API server is unavailable, and
 * the access to each endpoint where no authentication is configured.
 */
class ManagementEndpointsTest {

    @AutoClose
    private static final ConfigurableApplicationContext APPLICATION =
            ApplicationLauncher.with(
                    "kubemirror.resources[0].resource=pods",
                    "kubemirror.allowed-hosts[0]=mirror.example.com");

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
    @ExtendWith(OutputCaptureExtension.class)
    void livez_is_not_found_without_health_and_an_unknown_endpoint_is_logged(
            CapturedOutput output) {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "management.endpoints.web.exposure.include=prometheus,helth")) {
            assertThat(ApplicationLauncher.api(context).get("/livez").code()).isEqualTo(404);
            assertThat(output).contains("there is no endpoint helth; there are [prometheus]");
        }
    }

    @Test
    void management_port_serves_probes_when_the_api_connection_limit_is_reached()
            throws IOException {
        try (var context =
                        ApplicationLauncher.with(
                                "kubemirror.resources[0].resource=pods",
                                "kubemirror.connections.max=1");
                Socket _ =
                        new Socket(
                                InetAddress.getLoopbackAddress(),
                                ApplicationLauncher.port(context))) {
            RestClient management = ApplicationLauncher.management(context);
            for (int i = 0; i < 3; i++) {
                assertThat(management.get("/actuator/health/liveness").code()).isEqualTo(200);
            }
            assertThat(management.get("/actuator/prometheus").body())
                    .contains("kubemirror_connections_open 1.0");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/pods",
                "/readyz",
                "/metrics",
                "/healthz",
                "/health",
                "/actuator/nope"
            })
    void path_of_the_api_names_the_other_port(String path) {
        assertThat(management(path).code()).isEqualTo(404);
        assertThat(management(path).body()).contains("server.port", "/actuator/prometheus");
    }

    @Test
    void refusal_of_an_endpoint_has_its_reason() throws Exception {
        assertThat(
                        get(
                                LOOPBACK,
                                "/actuator/mirrors",
                                "Host: localhost",
                                "Accept: application/yaml"))
                .contains("Acceptable representations");
    }

    @Test
    void endpoints_with_configuration_or_memory_are_not_exposed() {
        for (String endpoint : new String[] {"env", "configprops", "beans", "heapdump"}) {
            assertThat(management("/actuator/" + endpoint).code()).as(endpoint).isEqualTo(404);
        }
    }

    private static RestResponse management(String path) {
        return ApplicationLauncher.management(APPLICATION).get(path);
    }

    private static RestResponse api(String path) {
        return ApplicationLauncher.api(APPLICATION).get(path);
    }

    private static final String LOOPBACK = "127.0.0.1";

    @ParameterizedTest
    @CsvFileSource(resources = "/io/kubemirror/app/management-requests.csv", delimiter = '|')
    void request_is_admitted_by_the_place_of_its_client_its_path_and_its_headers(
            String client, String path, String headers, String codes) throws Exception {
        String address = client.equals("far") ? ExternalAddress.demand() : LOOPBACK;

        String answer = get(address, path, headers.split("; "));

        assertThat(codes.split(" ")).contains(Integer.toString(code(answer)));
    }

    @Test
    void filter_protects_actuator_on_the_api_port() throws Exception {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "server.address=0.0.0.0",
                        "kubemirror.allow-unauthenticated=true",
                        "management.server.port=",
                        "management.endpoints.web.exposure.include=health,loggers",
                        "management.endpoint.loggers.access=read-only")) {
            int port = ApplicationLauncher.port(context);
            String address = ExternalAddress.demand();

            assertThat(code(get(address, port, "/actuator/health/liveness", "Host: localhost")))
                    .isEqualTo(200);
            assertThat(code(get(address, port, "/actuator/loggers", "Host: localhost")))
                    .isEqualTo(403);
            assertThat(code(get(LOOPBACK, port, "/actuator/loggers", "Host: localhost")))
                    .isEqualTo(200);
        }
    }

    private static int code(String answer) {
        return Integer.parseInt(answer.substring(9, 12));
    }

    private static String get(String address, String path, String... headers) throws Exception {
        int port = ApplicationLauncher.url(APPLICATION, "local.management.port").getPort();
        return get(address, port, path, headers);
    }

    /** By hand, as no client sends another host's name, or a path that is none. */
    private static String get(String address, int port, String path, String... headers)
            throws Exception {
        try (Socket socket = new Socket(address, port)) {
            String request =
                    "GET %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n"
                            .formatted(path, String.join("\r\n", headers));
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    @Test
    void mirrors_endpoint_omits_credentials() {
        try (var context =
                ApplicationLauncher.with(
                        "kubemirror.resources[0].resource=pods",
                        "kubemirror.upstream.server=http://root:hunter2@127.0.0.1:1")) {
            assertThat(ApplicationLauncher.management(context).get("/actuator/mirrors").body())
                    .contains("http://127.0.0.1:1")
                    .doesNotContain("hunter2");
        }
    }
}
