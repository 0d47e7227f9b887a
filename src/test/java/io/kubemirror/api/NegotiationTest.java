package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;

/** Tests which responses are indented, over HTTP (list-watch.md#ne-12, #st-2, #st-3). */
class NegotiationTest {

    private static final ApiFixture SERVED = ApiFixture.golden();

    private final ApiClient client = SERVED.client();

    @AfterAll
    static void stop() {
        SERVED.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api",
                "/apis",
                "/api/v1",
                "/api/v1/pods",
                "/api/v1/namespaces/a/pods/x",
                "/api/v1/namespaces/a/pods/nope",
                "/api/v1/pods?limit=x",
                "/api/v1/nodes"
            })
    void documents_and_errors_are_indented_for_curl_wget_and_browsers(String path) {
        String compact = client.get(path, "User-Agent", "client/1").body();
        assertThat(compact).endsWith("}\n").hasLineCount(1);
        for (String program : new String[] {"curl/8.5", "Wget/1.21", "Mozilla/5.0 (X11)"}) {
            String indented = client.get(path, "User-Agent", program).body();
            assertThat(indented).startsWith("{\n  \"").endsWith("\n}");
            assertThat(ApiClient.tree(indented)).isEqualTo(ApiClient.tree(compact));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "?pretty=true, application/json, client, true",
        "?pretty=1, application/json, client, true",
        "?pretty=false, application/json, curl/8, false",
        "?pretty=, application/json, curl/8, true",
        "?pretty=, application/json, client, false",
        "?pretty=yes, application/json, curl/8, false",
        "'', application/json;pretty=1, client, true",
        "?pretty=0, application/json;pretty=1, client, true",
        "'', application/json;pretty=0, client, false",
        "'', application/json;pretty=0, curl/8, true",
        "'', application/json;pretty=true, client, false",
        "'', application/json, Curl/8, false",
        "'', application/json, a curl/8, false",
    })
    void pretty_parameter_overrides_the_user_agent(
            String query, String accept, String program, boolean indented) {
        HttpResponse<String> answer =
                client.get("/api/v1/pods" + query, "Accept", accept, "User-Agent", program);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body().startsWith("{\n")).isEqualTo(indented);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    }

    @Test
    void watch_frames_are_never_indented() {
        try (WatchClient watch =
                client.watch(
                        "/api/v1/pods?watch=1&pretty=true",
                        "User-Agent",
                        "curl/8",
                        "Accept",
                        "application/json;pretty=1")) {
            assertThat(watch.brief()).isEqualTo("ADDED a-b/x 101");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/json;as=Table;v=v1;g=meta.k8s.io"})
    void error_keeps_its_code_and_json_body_if_json_is_not_accepted(String accept) {
        HttpResponse<String> answer =
                client.get("/api/v1/nodes", "User-Agent", "client", "Accept", accept);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(answer.body()).startsWith("{\n  \"kind\": \"Status\"").endsWith("\n}");
    }

    /** Protobuf alone gets 406 with a JSON body (list-watch.md#go-28). */
    @Test
    void go_28_protobuf_only_request_returns_406_in_json() {
        HttpResponse<String> answer =
                client.get(
                        "/api/v1/pods",
                        "User-Agent",
                        "client",
                        "Accept",
                        "application/vnd.kubernetes.protobuf");
        assertThat(answer.statusCode()).isEqualTo(406);
        assertThat(answer.body())
                .isEqualTo(
                        """
                        {
                          "kind": "Status",
                          "apiVersion": "v1",
                          "metadata": {},
                          "status": "Failure",
                          "message": "only the following media types are accepted: application/json",
                          "reason": "NotAcceptable",
                          "code": 406
                        }\
                        """);
    }
}
