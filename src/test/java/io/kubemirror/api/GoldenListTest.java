package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.mirror.Window;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The golden cases of lists and gets that need no selector (list-watch.md#examples). */
class GoldenListTest {

    private static final ApiFixture SERVED = ApiFixture.golden();

    private final ApiClient client = SERVED.client();

    @BeforeEach
    void restore() {
        SERVED.restoreGolden();
    }

    @AfterAll
    static void stop() {
        SERVED.close();
    }

    @Test
    void go_1_list_is_in_key_order_with_the_mirror_revision() {
        assertThat(client.get("/api/v1/pods").body())
                .isEqualTo(
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"110\"},\"items\":["
                                + items()
                                + "]}\n");
    }

    private static String items() {
        return "{\"metadata\":{\"name\":\"x\",\"namespace\":\"a-b\",\"resourceVersion\":\"101\",\"labels\":{\"app\":\"v\"}}},"
                   + "{\"metadata\":{\"name\":\"x\",\"namespace\":\"a\",\"resourceVersion\":\"103\",\"labels\":{\"app\":\"v\"}}},"
                   + "{\"metadata\":{\"name\":\"y\",\"namespace\":\"a\",\"resourceVersion\":\"102\",\"labels\":{\"app\":\"w\"}}}";
    }

    @Test
    void go_2_page_has_remaining_item_count_and_continue_token() {
        JsonNode list = client.json("/api/v1/pods?limit=1");
        assertThat(keys(list)).containsExactly("a-b/x");
        assertThat(list.at("/metadata/remainingItemCount").asInt()).isEqualTo(2);
        assertThat(decoded(token(list)))
                .isEqualTo("{\"v\":\"meta.k8s.io/v1\",\"rv\":110,\"start\":\"/a-b/x\\u0000\"}");
    }

    @Test
    void go_3_later_pages_show_the_revision_of_the_first_page() {
        JsonNode first = client.json("/api/v1/pods?limit=1");
        ApiSamples.delete(SERVED.writer(), "a", "x", 111);
        JsonNode second = client.json("/api/v1/pods?limit=1&continue=" + token(first));
        assertThat(keys(second)).containsExactly("a/x");
        assertThat(revision(second)).isEqualTo("110");
        assertThat(second.at("/metadata/remainingItemCount").asInt()).isEqualTo(1);
        JsonNode third = client.json("/api/v1/pods?limit=1&continue=" + token(second));
        assertThat(keys(third)).containsExactly("a/y");
        assertThat(revision(third)).isEqualTo("110");
        assertThat(third.path("metadata").has("continue")).isFalse();
        assertThat(third.path("metadata").has("remainingItemCount")).isFalse();
        JsonNode fresh = client.json("/api/v1/pods");
        assertThat(keys(fresh)).containsExactly("a-b/x", "a/y");
        assertThat(revision(fresh)).isEqualTo("111");
    }

    @Test
    void go_5_revision_zero_ignores_the_limit() {
        JsonNode list = client.json("/api/v1/pods?limit=1&resourceVersion=0");
        assertThat(keys(list)).containsExactly("a-b/x", "a/x", "a/y");
        assertThat(list.path("metadata").has("continue")).isFalse();
    }

    @Test
    void go_6_page_at_a_revision_before_the_first_list_returns_410() {
        HttpResponse<String> answer = client.get("/api/v1/pods?limit=1&resourceVersion=105");
        assertThat(answer.statusCode()).isEqualTo(410);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"The"
                            + " resourceVersion for the provided list is too"
                            + " old.\",\"reason\":\"Expired\",\"code\":410}\n");
    }

    @Test
    void go_7_revision_means_not_older_than() {
        JsonNode list = client.json("/api/v1/pods?resourceVersion=105");
        assertThat(keys(list)).hasSize(3);
        assertThat(revision(list)).isEqualTo("110");
    }

    @Test
    void go_8_list_at_a_future_revision_times_out_with_504() {
        HttpResponse<String> answer = client.get("/api/v1/pods?resourceVersion=200");
        assertThat(answer.statusCode()).isEqualTo(504);
        assertThat(answer.headers().firstValue("Retry-After")).contains("1");
        assertThat(answer.body())
                .isEqualTo(
                        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"Timeout:"
                            + " Too large resource version: 200, current:"
                            + " 110\",\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"Too"
                            + " large resource"
                            + " version\"}],\"retryAfterSeconds\":1},\"code\":504}\n");
    }

    @Test
    void go_8_list_waits_until_the_mirror_reaches_the_revision() throws InterruptedException {
        ApiTimings patient =
                new ApiTimings(
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(15),
                        ApiTimings.standard().watches());
        try (ApiFixture others = ApiFixture.of(patient, "pods")) {
            ApiSamples.fillWithGoldenPods(others.writer());
            List<JsonNode> answers = new ArrayList<>();
            Thread request =
                    Thread.ofVirtual()
                            .start(
                                    () ->
                                            answers.add(
                                                    others.client()
                                                            .json(
                                                                    "/api/v1/pods?resourceVersion=200")));
            others.writer().bookmark(ApiSamples.revision(201));
            request.join();
            assertThat(revision(answers.getFirst())).isEqualTo("201");
        }
    }

    @Test
    void go_22_watch_parameter_on_an_object_path_is_ignored() {
        HttpResponse<String> answer = client.get("/api/v1/namespaces/a/pods/x?watch=true");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Length")).isPresent();
        assertThat(answer.body())
                .isEqualTo(
                        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\",\"namespace\":\"a\",\"resourceVersion\":\"103\",\"labels\":{\"app\":\"v\"}}}\n");
    }

    @Test
    void go_25_expired_continue_token_response_has_a_token_for_the_current_state() {
        try (ApiFixture brief = ApiFixture.of(new Window(1, 1, Duration.ZERO, 1L << 20), "pods")) {
            ApiSamples.fillWithGoldenPods(brief.writer());
            ApiClient client = brief.client();
            String token = token(client.json("/api/v1/pods?limit=1"));
            ApiSamples.delete(brief.writer(), "a", "x", 120);
            brief.writer().upsert(ApiSamples.object("a", "z", 200));
            brief.writer().upsert(ApiSamples.object("c", "z", 300));
            HttpResponse<String> answer = client.get("/api/v1/pods?limit=1&continue=" + token);
            assertThat(answer.statusCode()).isEqualTo(410);
            JsonNode status = ApiClient.tree(answer.body());
            assertThat(status.path("reason").asString()).isEqualTo("Expired");
            assertThat(status.has("details")).isFalse();
            assertThat(decoded(token(status)))
                    .isEqualTo("{\"v\":\"meta.k8s.io/v1\",\"rv\":-1,\"start\":\"/a-b/x\\u0000\"}");
            JsonNode rest = client.json("/api/v1/pods?continue=" + token(status));
            assertThat(revision(rest)).isEqualTo("300");
            assertThat(keys(rest)).containsExactly("a/y", "a/z", "c/z");
        }
    }

    @Test
    void go_30_unsynchronized_mirror_returns_429_initializing() {
        try (ApiFixture unready = ApiFixture.of("pods")) {
            unready.writer().identify(ApiSamples.PODS);
            for (String path : List.of("/api/v1/pods", "/api/v1/pods?watch=1")) {
                HttpResponse<String> answer = unready.client().get(path);
                assertThat(answer.statusCode()).isEqualTo(429);
                assertThat(answer.headers().firstValue("Retry-After")).contains("1");
                assertThat(answer.body()).contains("\"storage is (re)initializing\"");
            }
        }
    }

    @Test
    void continue_token_of_all_namespaces_is_limited_to_the_requested_namespace() {
        String token = token(client.json("/api/v1/pods?limit=1"));
        JsonNode list = client.json("/api/v1/namespaces/a/pods?continue=" + token);
        assertThat(keys(list)).allSatisfy(key -> assertThat(key).startsWith("a/"));
    }

    @Test
    void unknown_namespace_returns_an_empty_list() {
        assertThat(client.get("/api/v1/namespaces/zzz/pods").body())
                .isEqualTo(
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"110\"},\"items\":[]}\n");
    }

    @Test
    void exact_revision_between_two_changes_returns_the_earlier_state() {
        SERVED.writer().upsert(ApiSamples.object("a", "z", 120));
        SERVED.writer().upsert(ApiSamples.object("b", "z", 130));
        JsonNode list = client.json("/api/v1/pods?resourceVersion=125&resourceVersionMatch=Exact");
        assertThat(revision(list)).isEqualTo("125");
        assertThat(keys(list)).containsExactly("a-b/x", "a/x", "a/y", "a/z");
    }

    @Test
    void custom_resource_lists_have_item_kinds_and_sorted_members() {
        try (ApiFixture widgets = ApiFixture.of("widgets.example.com")) {
            widgets.writer().identify(ApiSamples.WIDGETS);
            ApiSamples.synchronize(widgets.writer(), 20, ApiSamples.object("a", "w", 10));
            String item =
                    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\",\"namespace\":\"a\",\"resourceVersion\":\"10\"}}";
            assertThat(widgets.client().get("/apis/example.com/v1/widgets").body())
                    .isEqualTo(
                            "{\"apiVersion\":\"example.com/v1\",\"items\":["
                                    + item
                                    + "],\"kind\":\"WidgetList\",\"metadata\":{\"resourceVersion\":\"20\"}}\n");
            assertThat(widgets.client().get("/apis/example.com/v1/namespaces/a/widgets/w").body())
                    .isEqualTo(item + "\n");
        }
    }

    private static List<String> keys(JsonNode list) {
        List<String> keys = new ArrayList<>();
        for (JsonNode item : list.path("items")) {
            keys.add(
                    item.at("/metadata/namespace").asString()
                            + "/"
                            + item.at("/metadata/name").asString());
        }
        return keys;
    }

    private static String revision(JsonNode list) {
        return list.at("/metadata/resourceVersion").asString();
    }

    private static String token(JsonNode list) {
        return list.at("/metadata/continue").asString();
    }

    private static String decoded(String token) {
        return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
    }
}
