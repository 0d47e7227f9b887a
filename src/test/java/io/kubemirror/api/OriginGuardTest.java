package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests requests from web pages of other origins, where no authentication is configured. */
class OriginGuardTest {

    @AutoClose private static final ApiFixture SERVED = ApiFixture.golden();

    /** DNS rebinding: the page's own name leads to 127.0.0.1 by now. */
    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/pods", "/api/v1/pods?watch=1", "/version", "/livez", "/x"})
    void dns_rebinding_request_is_forbidden(String path) throws Exception {
        String answer = get(path, "Host: rebound.example.com:8001");

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
        String answer = get("/api/v1/pods", "Host: localhost:8001", header);

        assertThat(answer)
                .startsWith("HTTP/1.1 403 ")
                .contains("forbidden: kubemirror does not allow this request of a web page")
                .doesNotContain("Access-Control-");
    }

    private static String get(String path, String... headers) throws Exception {
        String head =
                "GET %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n"
                        .formatted(path, String.join("\r\n", headers));
        try (RawClient rawClient = RawClient.to(SERVED.port()).send(head)) {
            return rawClient.untilClosed();
        }
    }
}
