package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests requests from web pages of other origins, where no authentication is configured. */
class OriginGuardTest {

    @AutoClose private static final ApiFixture SERVED = ApiFixture.golden();

    /** DNS rebinding: the page's own name leads to 127.0.0.1 by now. */
    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/pods", "/api/v1/pods?watch=1", "/version", "/livez", "/x"})
    void dns_rebinding_request_is_forbidden(String path) throws Exception {
        String answer = get(SERVED, path, "Host: rebound.example.com:8001");

        assertThat(answer)
                .startsWith("HTTP/1.1 403 ")
                .contains("\"kind\":\"Status\"", "\"reason\":\"Forbidden\"", "\"code\":403")
                .contains(
                        "\"message\":\"forbidden: kubemirror does not accept the host name"
                            + " \\\"rebound.example.com:8001\\\"; use another host name or add this"
                            + " one to kubemirror.allowed-hosts\"")
                .doesNotContain("golden", "Access-Control-");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: https://example.com",
                "Origin: http://localhost.example.com:8001",
                "Origin: null",
                "Origin: file://",
                "Origin: http://[",
                "Sec-Fetch-Site: cross-site"
            })
    void cross_site_request_is_forbidden(String header) throws Exception {
        String answer = get(SERVED, "/api/v1/pods", "Host: localhost:8001", header);

        assertThat(answer)
                .startsWith("HTTP/1.1 403 ")
                .contains("forbidden: kubemirror does not allow this request of a web page")
                .doesNotContain("Access-Control-");
    }

    @Test
    void allowed_header_does_not_hide_a_forbidden_duplicate() throws Exception {
        String ours = "Origin: http://localhost:8001";
        String theirs = "Origin: https://example.com";

        assertThat(get(SERVED, "/api", "Host: localhost", ours, ours)).startsWith("HTTP/1.1 200 ");
        assertThat(get(SERVED, "/api", "Host: localhost", ours, theirs))
                .startsWith("HTTP/1.1 403 ");
        assertThat(get(SERVED, "/api", "Host: localhost", theirs, ours))
                .startsWith("HTTP/1.1 403 ");
        assertThat(
                        get(
                                SERVED,
                                "/api",
                                "Host: localhost",
                                "Sec-Fetch-Site: none",
                                "Sec-Fetch-Site: cross-site"))
                .startsWith("HTTP/1.1 403 ");
        assertThat(get(SERVED, "/api", "Host: localhost", "Host: example.com"))
                .startsWith("HTTP/1.1 400 ");
    }

    /** Browsers let any page read a WebSocket, and present client certificates to it. */
    @ParameterizedTest
    @CsvSource({
        "http://mirror.example.com:8001, 101",
        "HTTP://Mirror.Example.com:8001, 101",
        "https://added.example.com, 101",
        "http://mirror.example.com, 403",
        "http://mirror.example.com:3000, 403",
        "https://evil.example.com, 403",
        "https://evil.example.com:8001, 403",
        "'null', 403"
    })
    void web_socket_page_must_come_from_the_same_origin_even_if_all_names_are_accepted(
            String origin, int code) throws Exception {
        Hosts hosts = new Hosts(Reach.ANYWHERE, List.of("added.example.com"));
        try (ApiFixture served = served(hosts);
                RawClient client =
                        RawClient.to(served.port())
                                .send(
                                        String.join(
                                                        "\r\n",
                                                        "GET /api/v1/pods?watch=1 HTTP/1.1",
                                                        "Host: mirror.example.com:8001",
                                                        "Origin: " + origin,
                                                        "Connection: Upgrade",
                                                        "Upgrade: websocket",
                                                        "Sec-WebSocket-Version: 13",
                                                        "Sec-WebSocket-Key:"
                                                                + " dGhlIHNhbXBsZSBub25jZQ==")
                                                + "\r\n\r\n")) {
            assertThat(client.line()).startsWith("HTTP/1.1 " + code + " ");
        }
    }

    private static ApiFixture served(Hosts hosts) {
        return ApiFixture.golden(Map.of("hosts", hosts));
    }

    private static String get(ApiFixture served, String path, String... headers) throws Exception {
        String head =
                "GET %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n"
                        .formatted(path, String.join("\r\n", headers));
        try (RawClient rawClient = RawClient.to(served.port()).send(head)) {
            return rawClient.untilClosed();
        }
    }
}
