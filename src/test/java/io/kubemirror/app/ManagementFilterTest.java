package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.kubemirror.testing.ExternalAddress;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

import java.net.Socket;

/**
 * Tests the access to each endpoint of the management port where no authentication is configured.
 */
class ManagementFilterTest {

    private static final String LOOPBACK = "127.0.0.1";

    @AutoClose
    private static final ConfigurableApplicationContext APPLICATION =
            ApplicationLauncher.with(
                    "kubemirror.resources[0].resource=pods",
                    "kubemirror.allowed-hosts[0]=mirror.example.com",
                    "management.endpoints.web.exposure.include=health,info,prometheus,mirrors,loggers",
                    "management.endpoint.loggers.access=read-only");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator/health/liveness",
                "/actuator/info",
                "/actuator/prometheus",
                "/actuator/prometheus?includedNames=x"
            })
    void probes_and_metrics_are_available_from_any_address_and_host(String path) throws Exception {
        assertThat(code(ExternalAddress.demand(), path, "Host: example.com")).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator/mirrors", "/actuator", "/", "/anything"})
    void other_endpoints_are_forbidden_from_other_addresses(String path) throws Exception {
        String address = ExternalAddress.demand();
        String answer = get(address, path, "Host: localhost");

        assertThat(code(answer)).isEqualTo(403);
        assertThat(answer)
                .contains("Content-Type: application/json")
                .contains(
                        "\"message\":\"forbidden: without credentials this endpoint is available"
                                + " on");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator/health/../loggers",
                "/actuator/health/%2e%2e/loggers",
                "/actuator/health/..;/loggers",
                "/actuator/health;/../loggers",
                "/actuator//loggers",
                "/actuator/info/../loggers",
                "/actuator/./loggers",
                "//actuator/loggers",
                "/actuator/healthy",
                "/actuator/prometheus/loggers",
                "/actuator/info%2f..%2floggers"
            })
    void path_tricks_do_not_bypass_the_filter(String path) throws Exception {
        String address = ExternalAddress.demand();

        assertThat(code(address, path, "Host: localhost")).isIn(400, 403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/actuator/health/../mirrors",
                "/actuator/health/../../actuator/mirrors",
                "/actuator/health/%2e%2e/mirrors",
                "/actuator/health/..;/mirrors",
                "/actuator/health;/../mirrors",
                "/actuator;/../actuator/mirrors",
                "/actuator//mirrors",
                "/actuator/./mirrors",
                "//actuator/mirrors",
                "/actuator/health%2f..%2fmirrors",
                "/actuator/mirrors%00",
                "/actuator/mirrors%ff",
                "/actuator/mirrors;a=b",
                "/../actuator/mirrors",
                "/..;/actuator/mirrors"
            })
    void path_tricks_on_loopback_are_no_server_errors(String path) throws Exception {
        assertThat(code(LOOPBACK, path, "Host: localhost")).isIn(200, 400, 403, 404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1"})
    void forwarding_headers_do_not_make_a_client_local(String header) throws Exception {
        String address = ExternalAddress.demand();

        assertThat(code(address, "/actuator/loggers", "Host: localhost", header)).isEqualTo(403);
    }

    @Test
    void all_endpoints_are_available_on_loopback() throws Exception {
        assertThat(code(LOOPBACK, "/actuator/loggers", "Host: localhost:8002")).isEqualTo(200);
        assertThat(code(LOOPBACK, "/actuator/loggers", "Host: mirror.example.com")).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "Host: example.com,                Accept: */*",
        "Host: 127.0.0.1.nip.io:8002,      Accept: */*",
        "Host: localhost:8002,             Origin: http://example.com",
        "Host: localhost:8002,             Origin: null",
        "Host: localhost:8002,             Sec-Fetch-Site: cross-site"
    })
    void cross_site_browser_requests_on_loopback_are_forbidden(String host, String header)
            throws Exception {
        assertThat(code(LOOPBACK, "/actuator/loggers", host, header)).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "Origin: http://localhost:8002, Origin: http://example.com, 403",
        "Origin: http://example.com,    Origin: http://localhost:8002, 403",
        "Sec-Fetch-Site: none,          Sec-Fetch-Site: cross-site, 403",
        "Origin: http://localhost:8002, Origin: http://localhost:8002, 200",
        "Accept: */*,                   Host: example.com, 400"
    })
    void allowed_header_does_not_hide_a_forbidden_duplicate(String first, String second, int code)
            throws Exception {
        assertThat(code(LOOPBACK, "/actuator/loggers", "Host: localhost:8002", first, second))
                .isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/x;%", "/;%", "/livez;%zz", "/actuator/loggers;%", "/livez;", "/x;y"})
    void path_parameters_do_not_cause_internal_errors(String path) throws Exception {
        assertThat(code(LOOPBACK, path, "Host: localhost")).isBetween(400, 404);
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
            int port = context.getEnvironment().getRequiredProperty("local.server.port", int.class);
            String address = ExternalAddress.demand();

            assertThat(code(get(address, port, "/actuator/health/liveness", "Host: localhost")))
                    .isEqualTo(200);
            assertThat(code(get(address, port, "/actuator/loggers", "Host: localhost")))
                    .isEqualTo(403);
            assertThat(code(get(LOOPBACK, port, "/actuator/loggers", "Host: localhost")))
                    .isEqualTo(200);
        }
    }

    private static int code(String address, String path, String... headers) throws Exception {
        return code(get(address, path, headers));
    }

    private static int code(String answer) {
        return Integer.parseInt(answer.substring(9, 12));
    }

    private static String get(String address, String path, String... headers) throws Exception {
        int port =
                APPLICATION
                        .getEnvironment()
                        .getRequiredProperty("local.management.port", int.class);
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
}
