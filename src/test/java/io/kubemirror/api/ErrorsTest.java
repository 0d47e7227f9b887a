package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.ContinueToken;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Tests error responses over HTTP (list-watch.md#order-of-checks, #errors, #tr-1). */
class ErrorsTest {

    private static final String NOT_SERVED =
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"the"
                + " server could not find the requested"
                + " resource\",\"reason\":\"NotFound\",\"details\":{},\"code\":404}\n";

    private static final ApiFixture SERVED =
            ApiFixture.of("pods", "nodes", "jobs.batch", "widgets.example.com");

    static {
        ApiSamples.fillWithGoldenPods(SERVED.writer(0));
        SERVED.writer(1).identify(ApiSamples.NODES);
        ApiSamples.synchronize(SERVED.writer(1), 20, ApiSamples.object("", "n", 10));
        SERVED.writer(3).identify(ApiSamples.WIDGETS);
        ApiSamples.synchronize(SERVED.writer(3), 20, ApiSamples.object("a", "w", 10));
    }

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final ApiClient client = SERVED.client();

    @AfterAll
    static void stop() {
        CLIENT.close();
        SERVED.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v2",
                "/apis/apps",
                "/api/v1//pods",
                "/api/v1/pods/x",
                "/api/v1/namespaces/a/nodes",
                "/api/v1/namespaces/a/nodes/n",
                "/api/v1/namespaces/a/pods/x/none",
                "/api/v1/namespaces/a/pods/x/status/y",
                "/api/v1/namespaces/a/pods/x%2Fy",
                "/api/v1/pods/x/log",
                "/apis/example.com/v1/namespaces/a/widgets/w/x/y",
                "/apis/example.com/v1/namespaces/a/widgets/w%2Fy",
                "/api/v1/pods;v=1"
            })
    void path_without_a_resource_returns_404(String path) {
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-cache, private");
        assertThat(answer.body()).isEqualTo(NOT_SERVED);
    }

    /** The message begins as that of the API server, and says what to do (list-watch.md#pa-13). */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    /api/v1/secrets | secrets (but pods, nodes, widgets.example.com)
                    /api/v1/secrets?watch=1 | secrets (but pods, nodes, widgets.example.com)
                    /api/v1/namespaces/a/secrets/s/status | secrets (but pods, nodes, widgets.example.com)
                    /api/v2/pods | pods.v2. (but pods.v1.)
                    /apis/apps/v1/deployments | deployments.apps (but pods, nodes, widgets.example.com)
                    /apis/nothing.example.org/v1/things | things.nothing.example.org (but pods, nodes, widgets.example.com)
                    /apis/example.com/v9/widgets | widgets.v9.example.com (but widgets.v1.example.com)
                    /apis/example.com/v1/gadgets/g/log | gadgets.example.com (but pods, nodes, widgets.example.com)
                    """)
    void resource_that_is_not_mirrored_returns_404_and_names_the_properties(
            String path, String names) {
        HttpResponse<String> answer = client.get(path);

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body())
                .isEqualTo(
                        NOT_SERVED.replace(
                                "requested resource",
                                "requested resource: kubemirror does not mirror "
                                        + names
                                        + "; add it to kubemirror.resources, or set"
                                        + " kubemirror.pass-through.mode to have the API server"
                                        + " answer"));
    }

    /**
     * What the API server's own groups have not, it says in a Status (list-watch.md#pa-11 to
     * #pa-13).
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/apis/nothing.example.org",
                "/apis/example.com/v9",
                "/apis/example.com/v1/gadgets;a",
                "/apis/example.com/v1/widgets/w",
                "/apis/example.com/v1//widgets"
            })
    void unknown_paths_in_custom_groups_return_404_page_not_found(String path) {
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).isEqualTo("404 page not found\n");
        assertThat(answer.headers().firstValue("Content-Type"))
                .contains("text/plain;charset=utf-8");
    }

    /** A controller would take an object for deleted that is said not to be found. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/namespaces/a/pods/x/status",
                "/api/v1/namespaces/a/pods/x/log",
                "/api/v1/namespaces/a/pods/x/log?follow=true",
                "/api/v1/namespaces/a/pods/x/proxy/y/z",
                "/api/v1/namespaces/a/pods/none/status",
                "/api/v1/nodes/n/status",
                "/apis/example.com/v1/namespaces/a/widgets/w/status",
                "/apis/example.com/v1/namespaces/a/widgets/w/scale"
            })
    void subresource_returns_405_whether_or_not_the_object_exists(String path) {
        HttpResponse<String> answer = client.get(path);
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                + "\"status\":\"Failure\",\"message\":\"the server does not allow"
                                + " this method on the requested resource: kubemirror serves no"
                                + " subresources; send the request to the API server, or set"
                                + " kubemirror.pass-through.mode to have it passed on\","
                                + "\"reason\":\"MethodNotAllowed\",\"details\":{},\"code\":405}\n");
    }

    @Test
    void responses_for_deprecated_types_have_the_api_server_warnings() {
        List<String> warnings = List.of("299 - \"old\"", "299 - \"very old\"");
        SERVED.writer(1).warn(warnings);
        for (String path : new String[] {"", "?limit=x", "/n", "/none", "?pretty=true"}) {
            HttpResponse<String> answer = client.get("/api/v1/nodes" + path);
            assertThat(answer.headers().allValues("Warning")).as(path).isEqualTo(warnings);
        }
        try (WatchClient watch = client.watch("/api/v1/nodes?watch=1")) {
            assertThat(watch.header("Warning")).isEqualTo(warnings.getLast());
        }
        assertThat(client.get("/api/v1/pods").headers().allValues("Warning")).isEmpty();

        SERVED.writer(1).warn(List.of());
        assertThat(client.get("/api/v1/nodes").headers().allValues("Warning")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/foo", "/foo.json", "/error", "/favicon.ico", "/index.html"})
    void paths_outside_the_api_return_404_page_not_found(String path) {
        for (String method : new String[] {"GET", "POST", "DELETE"}) {
            HttpResponse<String> answer = client.send(method, path);
            assertThat(answer.statusCode()).isEqualTo(404);
            assertThat(answer.body()).isEqualTo("404 page not found\n");
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO"})
    void write_methods_return_405(String method) {
        for (String path : new String[] {"/api/v1/pods", "/api/v1/namespaces/a/pods/x", "/apis"}) {
            HttpResponse<String> answer = client.send(method, path);
            assertThat(answer.statusCode()).isEqualTo(405);
            assertThat(answer.headers().firstValue("Allow")).contains("GET");
            assertThat(answer.body())
                    .contains("\"the server does not allow this method on the requested resource");
            boolean refused = List.of("OPTIONS", "TRACE").contains(method);
            assertThat(answer.body().contains("or set kubemirror.pass-through.mode"))
                    .isNotEqualTo(refused);
        }
    }

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
    void cors_preflight_returns_405() throws Exception {
        HttpResponse<String> answer =
                CLIENT.send(
                        HttpRequest.newBuilder(uri("/api/v1/pods"))
                                .method("OPTIONS", BodyPublishers.noBody())
                                .header("Origin", "http://example.com")
                                .header("Access-Control-Request-Method", "GET")
                                .build(),
                        BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("Allow")).contains("GET");
        assertThat(answer.body()).contains("\"reason\":\"MethodNotAllowed\"");
    }

    @Test
    void selector_with_hundreds_of_values_is_accepted() throws Exception {
        String values =
                IntStream.range(0, 900)
                        .mapToObj(i -> "application-" + i)
                        .collect(Collectors.joining(","));
        String selector = URLEncoder.encode("app in (" + values + ")", StandardCharsets.UTF_8);

        assertThat(client.get("/api/v1/pods?labelSelector=" + selector).statusCode())
                .isEqualTo(200);
    }

    private static URI uri(String path) {
        return URI.create("http://127.0.0.1:" + SERVED.port() + path);
    }

    private static HttpResponse<String> send(
            String method, String path, String contentType, String body) throws Exception {
        return CLIENT.send(
                HttpRequest.newBuilder(uri(path))
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

    @Test
    void web_socket_watch_of_an_unmirrored_resource_returns_404() {
        try (WatchClient watch =
                client.watch(
                        "/api/v1/secrets?watch=1",
                        "Connection",
                        "Upgrade",
                        "Upgrade",
                        "websocket")) {
            assertThat(watch.code()).isEqualTo(404);
        }
    }

    /** Or kubectl would print it in place of the error that names the object it has not found. */
    @Test
    void namespace_object_returns_403_if_namespaces_are_not_mirrored() {
        assertThat(client.get("/api/v1/namespaces/a").statusCode()).isEqualTo(403);
        assertThat(client.get("/api/v1/namespaces").statusCode()).isEqualTo(404);
    }

    @Test
    void metrics_omit_object_names() {
        client.get("/api/v1/namespaces/a/pods/tell-tale");

        assertThat(SERVED.meters()).noneMatch(meter -> meter.contains("tell-tale"));
    }

    @Test
    void not_found_response_names_the_object() {
        assertThat(client.get("/api/v1/namespaces/a/pods/X_Y").body())
                .contains(
                        "\"message\":\"pods \\\"X_Y\\\" not found\"",
                        "\"details\":{\"name\":\"X_Y\",\"kind\":\"pods\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "GET /api/v1/namespaces/a/pods/..|Name parameter invalid: \\\"..\\\": may not be"
                        + " '..'",
                "GET /api/v1/namespaces/a/pods/%2e|Name parameter invalid: \\\".\\\": may not be"
                        + " '.'",
                "GET /api/v1/namespaces/a/pods/x%25|Name parameter invalid: \\\"x%\\\": may not"
                        + " contain '%'"
            })
    void invalid_path_segment_name_returns_400(String request, String message) {
        assertThat(client.raw(request)).startsWith("HTTP/1.1 400 ").contains(message);
    }

    @Test
    void malformed_path_returns_400_in_plain_text() {
        assertThat(client.raw("GET /api/v1/%zz"))
                .startsWith("HTTP/1.1 400 ")
                .contains("text/plain")
                .contains("Connection: close")
                .endsWith("400 Bad Request");
    }

    @Test
    void byte_that_is_not_utf_8_in_a_query_is_a_character_of_its_value() {
        String list = "GET /api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dx";
        String sent = client.raw(list + "\u00ff", StandardCharsets.ISO_8859_1);

        assertThat(sent).startsWith("HTTP/1.1 200 ").contains("\"items\":[]");
        assertThat(client.raw(list + "%ff")).startsWith("HTTP/1.1 200 ").contains("\"items\":[]");
        assertThat(
                        client.raw(
                                "GET /api/v1/pods?labelSelector=a%3D\u00ff",
                                StandardCharsets.ISO_8859_1))
                .startsWith("HTTP/1.1 400 ")
                .contains("BadRequest");
    }

    /** As Go's server does. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "gzip, chunked",
                "deflate,chunked",
                "gzip",
                "identity",
                "identity, chunked",
                "chunked, gzip",
                "chunked, chunked",
                "gzip\r\nTransfer-Encoding: chunked",
                "chunked\r\nTransfer-Encoding: identity",
                "xchunked",
                "\"chunked\"",
                "",
                " ",
                ",",
                "chunked,"
            })
    void further_transfer_encoding_returns_501(String encoding) {
        assertUnsupported("HTTP/1.1", encoding);
    }

    /** Go's server ignores the encoding, and takes the body for the next request. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "gzip, chunked", "identity", ""})
    void transfer_encoding_by_http_1_0_returns_501(String encoding) {
        assertUnsupported("HTTP/1.0", encoding);
    }

    private void assertUnsupported(String protocol, String encoding) {
        String request =
                "GET /api/v1/pods "
                        + protocol
                        + "\r\nHost: a\r\nTransfer-Encoding: "
                        + encoding
                        + "\r\nConnection: close\r\n\r\n0\r\n\r\nGET /api";

        assertThat(client.raw(request))
                .startsWith("HTTP/1.1 501 Not Implemented")
                .contains("text/plain; charset=utf-8", "Connection: close")
                .endsWith("Unsupported transfer encoding");
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/pods?timeout=x",
                "/api?timeout=x",
                "/foo?timeout=x",
                "/api/v1/secrets?timeout=x",
                "/api/v1/namespaces/a/pods/x?watch=1&timeout=x"
            })
    void invalid_timeout_is_rejected_before_other_errors(String path) {
        assertThat(client.get(path).statusCode()).isEqualTo(400);
    }

    @Test
    void watch_ignores_the_timeout_parameter() {
        try (WatchClient watch = client.watch("/api/v1/pods?watch=1&timeout=x")) {
            assertThat(watch.code()).isEqualTo(200);
        }
    }

    @Test
    void request_timeout_before_the_revision_wait_ends_returns_504() {
        HttpResponse<String> answer = client.get("/api/v1/pods?resourceVersion=200&timeout=1ms");
        assertThat(answer.statusCode()).isEqualTo(504);
        assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
        assertThat(answer.body())
                .isEqualTo(
                        "{\"metadata\":{},\"status\":\"Failure\",\"message\":\"Timeout: request did"
                            + " not complete within the allotted"
                            + " timeout\",\"reason\":\"Timeout\",\"details\":{},\"code\":504}\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/pods", "/api/v1/pods?watch=1", "/apis", "/api/v1"})
    void protobuf_only_request_returns_406(String path) {
        HttpResponse<String> answer =
                client.get(path, "Accept", "application/vnd.kubernetes.protobuf");
        assertThat(answer.statusCode()).isEqualTo(406);
        assertThat(answer.body()).contains("only the following media types are accepted: ");
    }

    @ParameterizedTest
    @CsvSource({
        "x,invalid syntax",
        "-1,invalid syntax",
        "18446744073709551616,value out of range",
        "99999999999999999999999,value out of range"
    })
    void invalid_revision_is_rejected(String revision, String why) {
        for (String path :
                new String[] {
                    "/api/v1/pods?", "/api/v1/pods?watch=1&", "/api/v1/namespaces/a/pods/x?"
                }) {
            HttpResponse<String> answer = client.get(path + "resourceVersion=" + revision);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(message(answer))
                    .isEqualTo(
                            "invalid resource version: resourceVersion: Invalid value: \""
                                    + revision
                                    + "\": strconv.ParseUint: parsing \""
                                    + revision
                                    + "\": "
                                    + why);
        }
    }

    @Test
    void leading_zeros_of_a_revision_are_ignored() {
        assertThat(client.get("/api/v1/pods?resourceVersion=00").statusCode()).isEqualTo(200);
        assertThat(client.get("/api/v1/pods?resourceVersion=0110").statusCode()).isEqualTo(200);
    }

    @Test
    void invalid_continue_token_is_reported_before_its_use_with_a_revision() {
        assertThat(message(client.get("/api/v1/pods?continue=zz&resourceVersion=5")))
                .startsWith("invalid continue token: ");
        String token = ContinueToken.after(ApiSamples.revision(110), "a-b/x").encode();
        assertThat(message(client.get("/api/v1/pods?resourceVersion=5&continue=" + token)))
                .isEqualTo("specifying resource version is not allowed when using continue");
        assertThat(client.get("/api/v1/pods?resourceVersion=0&continue=" + token).statusCode())
                .isEqualTo(200);
    }

    @Test
    void get_at_a_future_revision_returns_504_instead_of_404() {
        HttpResponse<String> answer =
                client.get("/api/v1/namespaces/a/pods/nope?resourceVersion=200");
        assertThat(answer.statusCode()).isEqualTo(504);
        assertThat(answer.body()).contains("ResourceVersionTooLarge");
    }

    @Test
    void export_parameter_is_rejected() {
        assertThat(message(client.get("/api/v1/namespaces/a/pods/x?export")))
                .isEqualTo("the export parameter, deprecated since v1.14, is no longer supported");
    }

    @Test
    void unresolved_type_returns_429_initializing() {
        JsonNode status = client.json("/apis/batch/v1/jobs");
        assertThat(status.path("code").asInt()).isEqualTo(429);
        assertThat(status.path("message").asString()).isEqualTo("storage is (re)initializing");
        assertThat(client.get("/apis/batch/v1/cronjobs").statusCode()).isEqualTo(404);
    }

    /** list-watch.md#di-15; another kubemirror would take it for a type that does not exist. */
    @Test
    void discovery_header_reports_unresolved_types() {
        for (String path : List.of("/api", "/apis", "/api/v1")) {
            HttpResponse<String> documents = client.get(path);
            assertThat(documents.statusCode()).isEqualTo(200);
            assertThat(documents.headers().firstValue("Kubemirror-State")).contains("initializing");
        }
        try (ApiFixture complete = ApiFixture.golden()) {
            assertThat(complete.client().get("/apis").headers().firstValue("Kubemirror-State"))
                    .isEmpty();
        }
    }

    private static String message(HttpResponse<String> answer) {
        return ApiClient.tree(answer.body()).path("message").asString();
    }
}
