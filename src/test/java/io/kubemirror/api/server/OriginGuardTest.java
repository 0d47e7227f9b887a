package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.RawClient;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.api.server.OriginGuard.Hosts.Reach;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** Tests requests from web pages, which may also be passed on to the API server. */
class OriginGuardTest {

    private static final String PODS = "/api/v1/namespaces/a/pods";
    private static final String EXEC = PODS + "/x/exec?command=sh";

    /** All names are accepted, and a page of one of them may read. */
    private static final Hosts ALL = new Hosts(Reach.ANYWHERE, List.of("*", "added.example.com"));

    private static final OriginGuard PASSING = new OriginGuard(() -> ALL, () -> true);

    /** What browsers add to the requests of pages, and never leave out altogether. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/server/page-headers.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void no_web_page_sends_a_request_that_can_have_an_effect(String header) {
        for (String method : List.of("POST", "PUT", "PATCH", "DELETE", "UNKNOWN", "post")) {
            assertThat(isRefused(PASSING, method, PODS, header)).as(method).isTrue();
        }
        for (String target :
                List.of(EXEC, PODS + "/x/proxy/reset", "/api/v1/proxy/nodes/n", "/logs/x", "/x")) {
            assertThat(isRefused(PASSING, "GET", target, header)).as(target).isTrue();
        }
        assertThat(isRefused(PASSING, "GET", EXEC, header, "Upgrade: websocket")).isTrue();
        assertThat(isRefused(PASSING, "GET", PODS + "/x", header, "Upgrade: SPDY/3.1")).isTrue();
        assertThat(isRefused(PASSING, "GET", PODS, header, "Upgrade: websocket")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /api/v1/namespaces/a/pods",
        "DELETE, /api/v1/namespaces/a/pods/x",
        "GET, /api/v1/namespaces/a/pods/x/exec",
        "GET, /openapi/v3"
    })
    void programs_send_any_request(String method, String target) {
        assertThat(isRefused(PASSING, method, target)).isFalse();
        // Node's fetch names its mode, and some WebSocket clients name the server.
        assertThat(isRefused(PASSING, method, target, "Sec-Fetch-Mode: cors")).isFalse();
        assertThat(isRefused(PASSING, method, target, "Origin: http://localhost:8001")).isFalse();
        assertThat(
                        isRefused(
                                PASSING,
                                "GET",
                                EXEC,
                                "Upgrade: websocket",
                                "Origin: http://localhost:8001"))
                .isFalse();
    }

    @Test
    void person_may_enter_the_address_of_a_read_but_not_of_anything_else() {
        String entered = "Sec-Fetch-Site: none";

        assertThat(isRefused(PASSING, "GET", "/metrics", entered)).isFalse();
        assertThat(isRefused(PASSING, "GET", PODS + "/x/log", entered)).isFalse();
        assertThat(isRefused(PASSING, "POST", PODS, entered)).isTrue();
        assertThat(isRefused(PASSING, "GET", EXEC, entered, "Upgrade: websocket")).isTrue();
    }

    @Test
    void watch_by_web_socket_is_a_read() {
        String watch = PODS + "?watch=1";
        String added = "Origin: https://added.example.com";

        assertThat(isRefused(PASSING, "GET", watch, added, "Upgrade: websocket")).isFalse();
        assertThat(isRefused(PASSING, "POST", watch, added, "Upgrade: websocket")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "Origin: http://localhost:8001; Origin: http://localhost:8001, false",
        "Origin: http://localhost:8001; Origin: https://example.com, true",
        "Origin: https://example.com; Origin: http://localhost:8001, true",
        "Sec-Fetch-Site: none; Sec-Fetch-Site: cross-site, true"
    })
    void allowed_header_does_not_hide_a_forbidden_duplicate(String headers, boolean refused) {
        OriginGuard reading = new OriginGuard(() -> ApiFixture.LOOPBACK, () -> false);

        assertThat(isRefused(reading, "GET", PODS, headers.split("; "))).isEqualTo(refused);
    }

    /** Browsers let any page read a WebSocket, and present client certificates to it. */
    @ParameterizedTest
    @CsvSource({
        "http://localhost:8001, false",
        "HTTP://Localhost:8001, false",
        "https://added.example.com, false",
        "http://localhost, true",
        "http://localhost:3000, true",
        "https://evil.example.com, true",
        "https://evil.example.com:8001, true",
        "'null', true"
    })
    void web_socket_page_must_come_from_the_same_origin_even_if_all_names_are_accepted(
            String origin, boolean refused) {
        Hosts hosts = new Hosts(Reach.ANYWHERE, List.of("added.example.com"));
        OriginGuard reading = new OriginGuard(() -> hosts, () -> false);
        String from = "Origin: " + origin;

        assertThat(isRefused(reading, "GET", PODS + "?watch=1", from, "Upgrade: websocket"))
                .isEqualTo(refused);
    }

    private static boolean isRefused(
            OriginGuard guard, String method, String target, String... headers) {
        String[] parts = target.split("\\?", 2);
        MockHttpServletRequest request = new MockHttpServletRequest(method, parts[0]);
        request.setQueryString(parts.length > 1 ? parts[1] : null);
        request.addHeader("Host", "localhost:8001");
        for (String header : headers) {
            int colon = header.indexOf(':');
            request.addHeader(header.substring(0, colon), header.substring(colon + 1).strip());
        }
        return guard.refusal(request).isPresent();
    }

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

    /** A name of loopback is accepted for every reach. */
    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/server/hosts.csv",
            delimiter = '|',
            quoteCharacter = '`',
            ignoreLeadingAndTrailingWhitespace = false)
    void name_is_accepted_within_the_reach_of_the_server(
            String host, boolean loopback, boolean network) {
        assertThat(ApiFixture.LOOPBACK.include(host)).isEqualTo(loopback);
        assertThat(new Hosts(Reach.NETWORK, List.of()).include(host)).isEqualTo(network);
        assertThat(new Hosts(Reach.ANYWHERE, List.of()).include(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mirror.shop", "mirror.shop:80", "A.Example.com", "b.a.example.com"})
    void configured_names_and_suffixes_are_accepted(String host) {
        Hosts hosts = new Hosts(Reach.LOOPBACK, List.of("mirror.shop", "*.example.com"));

        assertThat(hosts.include(host)).isTrue();
        assertThat(ApiFixture.LOOPBACK.include(host)).isFalse();
    }
}
