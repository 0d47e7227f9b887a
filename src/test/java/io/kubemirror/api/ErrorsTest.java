package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import module java.base;

import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
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

    private final RestClient client = SERVED.client();

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

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1"})
    void interval_of_bookmarks_below_a_second_is_refused(String seconds) {
        RestResponse answer = client.get("/api/v1/pods?bookmarkIntervalSeconds=" + seconds);

        assertThat(answer.code()).isEqualTo(400);
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
                SERVED.watch(
                        "/api/v1/pods?watch=1", "Connection", "Upgrade", "Upgrade", "websocket")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(watch.brief()).isEqualTo("ADDED a-b/x 101");
        }
    }

    /** Or kubectl would print it in place of the error that names the object it has not found. */
    @Test
    void namespace_object_returns_403_if_namespaces_are_not_mirrored() {
        assertThat(client.get("/api/v1/namespaces/a").code()).isEqualTo(403);
        assertThat(client.get("/api/v1/namespaces").code()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/raw-requests.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void bytes_of_any_request_get_one_answer(String request, String codes, String part) {
        String head = "GET " + request.translateEscapes() + " HTTP/1.1\r\nHost: localhost\r\n";
        String answer;
        try (RawClient raw = RawClient.to(SERVED.port())) {
            raw.send((head + "Connection: close\r\n\r\n").getBytes(ISO_8859_1));
            answer = raw.untilClosed();
        }

        assertThat(answer).matches("(?s)HTTP/1.1 (" + codes.replace(' ', '|') + ") .*");
        assertThat(answer).contains(part).doesNotContain("<html");
        assertThat(Pattern.compile("HTTP/1.1 ").matcher(answer).results()).hasSize(1);
    }

    /** list-watch.md#di-15; another kubemirror would take it for a type that does not exist. */
    @Test
    void discovery_header_reports_unresolved_types() {
        for (String path : List.of("/api", "/apis", "/api/v1")) {
            RestResponse documents = client.get(path);
            assertThat(documents.code()).isEqualTo(200);
            assertThat(documents.header("Kubemirror-State")).isEqualTo("initializing");
        }
        assertThat(client.get("/apis/batch").code()).isEqualTo(404);
        assertThat(client.get("/apis", AGGREGATED).body()).doesNotContain("batch");
        try (ApiFixture complete = ApiFixture.golden()) {
            assertThat(complete.client().get("/apis").header("Kubemirror-State")).isEmpty();
        }
    }
}
