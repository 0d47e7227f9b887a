package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * Tests error responses over HTTP that an API server does not have, or that no HTTP client causes
 * (list-watch.md#errors, #tr-1). The parity suite compares all others.
 */
class ErrorsTest {

    private static final String[] AGGREGATED = {
        "Accept",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    };

    @AutoClose private static final ApiFixture SERVED = ApiFixture.of("pods", "jobs.batch");

    static {
        ApiSamples.fillWithGoldenPods(SERVED.writer());
    }

    @AutoClose private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final ApiClient client = SERVED.client();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "multipart/form-data; boundary=x",
                "multipart/form-data",
                "text/plain;charset=nope"
            })
    void request_body_is_ignored(String contentType) throws Exception {
        assertThat(send("GET", "/api/v1/pods", contentType, "abc").statusCode()).isEqualTo(200);
        assertThat(send("POST", "/api/v1/pods", contentType, "abc").statusCode()).isEqualTo(405);
    }

    @Test
    void cors_preflight_returns_405() {
        HttpResponse<String> answer =
                client.send(
                        "OPTIONS",
                        "/api/v1/pods",
                        "Origin",
                        "http://example.com",
                        "Access-Control-Request-Method",
                        "GET");

        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("Allow")).contains("GET");
        assertThat(answer.body()).contains("\"reason\":\"MethodNotAllowed\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1"})
    void interval_of_bookmarks_below_a_second_is_refused(String seconds) {
        HttpResponse<String> answer = client.get("/api/v1/pods?bookmarkIntervalSeconds=" + seconds);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body())
                .contains("bookmarkIntervalSeconds is " + seconds + "; use 1 or more, or omit it");
    }

    private static HttpResponse<String> send(
            String method, String path, String contentType, String body) throws Exception {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + SERVED.port() + path))
                        .method(method, BodyPublishers.ofString(body))
                        .header("Content-Type", contentType)
                        .build(),
                BodyHandlers.ofString());
    }

    @Test
    void web_socket_upgrade_without_a_key_is_served_as_a_plain_watch() {
        try (WatchClient watch =
                client.watch(
                        "/api/v1/pods?watch=1", "Connection", "Upgrade", "Upgrade", "websocket")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(watch.brief()).isEqualTo("ADDED a-b/x 101");
        }
    }

    /** Or kubectl would print it in place of the error that names the object it has not found. */
    @Test
    void namespace_object_returns_403_if_namespaces_are_not_mirrored() {
        assertThat(client.get("/api/v1/namespaces/a").statusCode()).isEqualTo(403);
        assertThat(client.get("/api/v1/namespaces").statusCode()).isEqualTo(404);
    }

    /** Where Go's server answers 501, Jetty answers 400 to some. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gzip, chunked",
                "gzip",
                "identity",
                "chunked, gzip",
                "chunked, chunked",
                "gzip\r\nTransfer-Encoding: chunked",
                "chunked\r\nTransfer-Encoding: identity",
                "xchunked",
                "",
                "chunked,"
            })
    void further_transfer_encoding_is_refused(String encoding) {
        String request =
                "GET /api/v1/pods HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                        + encoding
                        + "\r\nConnection: close\r\n\r\n0\r\n\r\nGET /api";

        assertThat(client.raw(request))
                .containsPattern("^HTTP/1.1 (400 Bad Request|501 Not Implemented)\r\n")
                .contains("text/plain; charset=utf-8", "Connection: close")
                .doesNotContain("200");
    }

    /**
     * Go's server reads the chunks, and answers 501 to other encodings; two framings of one body
     * are how requests are smuggled.
     */
    @ParameterizedTest
    @ValueSource(strings = {"chunked", "gzip", ""})
    void transfer_encoding_with_a_length_returns_400(String encoding) {
        String request =
                "GET /api/v1/pods HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
                        + encoding
                        + "\r\nContent-Length: 5\r\nConnection: close\r\n\r\n0\r\n\r\nGET /api";

        assertThat(client.raw(request)).startsWith("HTTP/1.1 400 ").endsWith("400 Bad Request");
    }

    /** As the API server does: the replacement character is in no name. */
    @ParameterizedTest
    @CsvSource({
        "/api/v1/namespaces/a/pods/\u00ff, 404",
        "/api/v1/namespaces/\u00ff/pods/x, 404",
        "/api/v1/namespaces/\u00ff/pods, 200",
        "/api/v1/pods\u00ff, 404",
        "/api/v1/\u00ff, 404",
        "/apis/\u00ff/v1, 404",
        "/\u00ff, 404",
        "/api/v1/pods?\u00ff, 200",
        "/api/v1/pods?resourceVersion=\u00ff, 400",
        "/api/v1/pods?limit=\u00ff, 400",
        "/api/v1/pods?continue=\u00ff, 400"
    })
    void byte_that_is_not_utf_8_has_the_code_of_the_api_server(String target, int code) {
        String answer = client.raw("GET " + target, StandardCharsets.ISO_8859_1);

        assertThat(answer).startsWith("HTTP/1.1 " + code + " ");
    }

    @Test
    void invalid_http_request_returns_400_in_plain_text() {
        assertThat(client.raw("GET  /api v1"))
                .startsWith("HTTP/1.1 400 ")
                .doesNotContain("<")
                .endsWith("400 Bad Request");
    }

    /** list-watch.md#di-15; another kubemirror would take it for a type that does not exist. */
    @Test
    void discovery_header_reports_unresolved_types() {
        for (String path : List.of("/api", "/apis", "/api/v1")) {
            HttpResponse<String> documents = client.get(path);
            assertThat(documents.statusCode()).isEqualTo(200);
            assertThat(documents.headers().firstValue("Kubemirror-State")).contains("initializing");
        }
        assertThat(client.get("/apis/batch").statusCode()).isEqualTo(404);
        assertThat(client.get("/apis", AGGREGATED).body()).doesNotContain("batch");
        try (ApiFixture complete = ApiFixture.golden()) {
            assertThat(complete.client().get("/apis").headers().firstValue("Kubemirror-State"))
                    .isEmpty();
        }
    }
}
