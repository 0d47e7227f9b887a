package io.kubemirror.api.encode;

import static io.kubemirror.api.encode.OrderedItems.item;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.FakeForwardingApi;
import io.kubemirror.mirror.ReadPolicy;
import io.kubemirror.mirror.ReadPolicy.ReadMode;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

/** Lists in the order of a value, and counts (list-watch.md#order). */
class SortedListTest {

    private static final String PODS = "/api/v1/pods";
    private static final String TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
    @AutoClose private static final ApiFixture SERVED = ApiFixture.of("pods");

    private final RestClient client = SERVED.client();

    SortedListTest() {
        SERVED.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
        ApiSamples.synchronize(
                SERVED.writer(),
                110,
                item("a/p", 101, spec(10, "n1")),
                item("a/q", 102, spec(9, "n2")),
                item("b/p", 103, ""),
                item("b/q", 104, spec(9, "n1")),
                item("c/p", 105, spec(-1, "n1")));
    }

    @ParameterizedTest
    @CsvSource({
        "spec.weight, c/p a/q b/q a/p b/p",
        "-spec.weight, a/p a/q b/q c/p b/p",
        "{.spec.weight}, c/p a/q b/q a/p b/p",
        "metadata.name, a/p b/p c/p a/q b/q",
        "-metadata.resourceVersion, c/p b/q b/p a/q a/p",
        "spec.nothing, a/p a/q b/p b/q c/p"
    })
    void list_is_sorted_by_a_path(String path, String expected) {
        assertThat(keys(client.get(PODS + "?sortBy=" + encoded(path)).json()))
                .containsExactly(expected.split(" "));
    }

    @Test
    void pages_show_one_state_and_what_remains() {
        List<String> keys = new ArrayList<>();
        List<Long> remaining = new ArrayList<>();
        String query = "?sortBy=spec.weight&limit=2";
        String token = "";
        do {
            JsonNode page = client.get(PODS + query + "&continue=" + token).json();
            assertThat(page.at("/metadata/resourceVersion").asString()).isEqualTo("110");
            keys.addAll(keys(page));
            remaining.add(page.at("/metadata/remainingItemCount").asLong(0));
            token = page.at("/metadata/continue").asString("");
            SERVED.writer().upsert(item("a/r" + keys.size(), 110 + keys.size(), spec(0, "n1")));
        } while (!token.isEmpty());
        assertThat(keys).containsExactly("c/p", "a/q", "b/q", "a/p", "b/p");
        assertThat(remaining).containsExactly(3L, 1L, 0L);
    }

    @Test
    void later_page_of_a_lost_state_returns_410_without_a_token() {
        Window two = new Window(2, 2, Duration.ofSeconds(75), 1 << 20);
        try (ApiFixture short_ = ApiFixture.of(two, "pods")) {
            short_.writer().identify(ApiSamples.PODS, DeclaredFields.NONE);
            ApiSamples.synchronize(short_.writer(), 110, item("a/p", 1, ""), item("a/q", 2, ""));
            String path = PODS + "?sortBy=-metadata.name&limit=1";
            String token = short_.client().get(path).json().at("/metadata/continue").asString();
            IntStream.range(111, 120)
                    .forEach(revision -> short_.writer().upsert(item("a/q", revision, "")));

            JsonNode error = short_.client().get(path + "&continue=" + token).json();
            assertThat(error.path("code").asInt()).isEqualTo(410);
            assertThat(error.path("metadata").has("continue")).isFalse();
        }
    }

    @Test
    void token_of_another_order_is_refused() {
        String sorted = token("?sortBy=spec.weight&limit=1");
        String plain = token("?limit=1");
        for (String query :
                List.of(
                        "?continue=" + sorted,
                        "?sortBy=-spec.weight&continue=" + sorted,
                        "?sortBy=spec.weight&continue=" + plain)) {
            assertRefused(PODS + query, "invalid continue token");
        }
    }

    @Test
    void token_of_other_objects_is_refused() {
        String token = token("?sortBy=spec.weight&limit=1");
        for (String path :
                List.of(
                        "/api/v1/namespaces/a/pods?sortBy=spec.weight",
                        PODS + "?sortBy=spec.weight&labelSelector=app",
                        PODS + "?sortBy=spec.weight&fieldSelector=metadata.name%3Dp")) {
            assertRefused(path + "&continue=" + token, "of other objects");
        }
    }

    @Test
    void count_is_that_of_the_selection_without_objects() {
        JsonNode all = client.get(PODS + "?count=only").json();
        assertThat(all.path("kind").asString()).isEqualTo("PodList");
        assertThat(all.path("items")).isEmpty();
        assertThat(all.at("/metadata/remainingItemCount").asInt()).isEqualTo(5);
        assertThat(all.at("/metadata/resourceVersion").asString()).isEqualTo("110");
        assertThat(count("/api/v1/namespaces/b/pods?count=only")).isEqualTo(2);
        assertThat(count(PODS + "?count=only&fieldSelector=metadata.name%3Dq")).isEqualTo(2);
        assertThat(count(PODS + "?count=only&labelSelector=app")).isZero();
    }

    @Test
    void groups_have_the_counts_of_their_values() {
        SERVED.writer().upsert(item("d/p", 120, spec(1, "")));
        JsonNode list = client.get(PODS + "?groupBy=spec.node").json();
        assertThat(list.path("items")).isEmpty();
        assertThat(list.at("/metadata/remainingItemCount").asInt()).isEqualTo(6);
        assertThat(list.path("groups"))
                .hasToString(
                        "[{\"value\":\"n1\",\"count\":3},{\"value\":\"n2\",\"count\":1},"
                                + "{\"value\":\"\",\"count\":1},{\"value\":null,\"count\":1}]");
    }

    /** What selects objects may be left out of them. */
    @Test
    void answer_is_made_of_what_the_objects_show() {
        KubeObject hiding =
                item(
                        "d/p",
                        120,
                        "",
                        Map.of("app", "hidden"),
                        Map.of("spec.node", "n0", "spec.weight", "-9"));
        SERVED.writer().upsert(hiding);
        for (String path : List.of("metadata.labels['app']", "spec.node", "metadata.uid")) {
            assertThat(
                            client.get(PODS + "?groupBy=" + encoded(path))
                                    .json()
                                    .path("groups")
                                    .toString())
                    .doesNotContain("hidden", "n0", "uid")
                    .contains("null");
        }
        assertThat(keys(client.get(PODS + "?sortBy=spec.weight").json())).endsWith("b/p", "d/p");
    }

    @Test
    void more_values_than_an_answer_may_read_are_refused() {
        KubeObject[] many =
                IntStream.rangeClosed(0, ListArrangement.MAX_OBJECTS)
                        .mapToObj(i -> item("a/p" + i, 200 + i, ""))
                        .toArray(KubeObject[]::new);
        ApiSamples.synchronize(SERVED.writer(), 100_000, many);
        assertThat(client.get(PODS + "?sortBy=metadata.name&limit=1").code()).isEqualTo(413);
        assertThat(client.get(PODS + "?groupBy=spec.node").code()).isEqualTo(413);
        assertThat(count(PODS + "?count=only")).isEqualTo(many.length);
        assertThat(client.get("/api/v1/namespaces/b/pods?sortBy=metadata.name").code())
                .isEqualTo(200);
    }

    @Test
    void tables_are_sorted_and_not_counted() {
        JsonNode sorted = client.get(PODS + "?sortBy=spec.weight&limit=2", "Accept", TABLE).json();
        assertThat(sorted.path("rows"))
                .extracting(row -> row.at("/object/metadata/name").asString())
                .containsExactly("p", "q");
        assertThat(sorted.at("/metadata/remainingItemCount").asInt()).isEqualTo(3);
        assertThat(client.get(PODS + "?count=only", "Accept", TABLE).code()).isEqualTo(400);
    }

    @ParameterizedTest
    @CsvFileSource(
            resources = "/io/kubemirror/api/encode/refused-orders.csv",
            delimiter = '|',
            quoteCharacter = '`')
    void option_that_is_malformed_contradictory_or_not_understood_is_refused(
            String target, @Nullable String message) {
        assertRefused(target, Objects.requireNonNullElse(message, ""));
    }

    @Test
    void mirror_of_metadata_sorts_by_metadata_only() {
        Scope metadata =
                new Scope(new ResourceName("pods"), Selection.everything(), Extent.METADATA);
        try (ApiFixture partial = ApiFixture.of(metadata)) {
            ApiSamples.fillWithGoldenPods(partial.writer());
            RestClient reader = partial.client();
            assertThat(reader.get(PODS + "?sortBy=metadata.name").code()).isEqualTo(200);
            assertThat(reader.get(PODS + "?sortBy=spec.nodeName").code()).isEqualTo(400);
        }
    }

    @Test
    void every_order_has_its_own_etag() {
        assertThat(
                        Stream.of(
                                        "",
                                        "?sortBy=spec.weight",
                                        "?sortBy=-spec.weight",
                                        "?count=only",
                                        "?groupBy=spec.node")
                                .map(query -> client.get(PODS + query))
                                .map(answer -> answer.header("ETag")))
                .doesNotHaveDuplicates();
    }

    @Test
    void list_for_the_newest_state_is_verified() {
        FakeForwardingApi server = new FakeForwardingApi();
        ApiFixture.Reads newest = _ -> new ReadPolicy(ReadMode.VERIFY, true, null, "", List.of());
        try (ApiFixture proxied = ApiFixture.golden(Map.of("server", server, "reads", newest))) {
            RestClient reader = proxied.client();
            for (String query : List.of("sortBy=metadata.name", "count=only", "groupBy=a")) {
                server.reset();
                server.isAt(110);
                assertThat(reader.get(PODS + "?" + query).code()).isEqualTo(200);
                assertThat(server.lists).hasSize(1);
                assertThat(reader.get(PODS + "?resourceVersion=0&" + query).code()).isEqualTo(200);
                assertThat(server.forwarded).isEmpty();
            }
            server.isAt(111);
            assertThat(reader.get(PODS + "?timeout=1s&sortBy=metadata.name").code()).isEqualTo(504);
            assertThat(server.forwarded).isEmpty();
        }
    }

    private String token(String query) {
        return client.get(PODS + query).json().at("/metadata/continue").asString();
    }

    private long count(String path) {
        return client.get(path).json().at("/metadata/remainingItemCount").asLong(-1);
    }

    private void assertRefused(String path, String message) {
        RestResponse answer = client.get(path);
        assertThat(answer.code()).as(answer.body()).isEqualTo(400);
        JsonNode status = JsonTrees.parse(answer.body());
        assertThat(status.path("kind").asString()).isEqualTo("Status");
        assertThat(status.path("message").asString()).contains(message);
    }

    private static List<String> keys(JsonNode list) {
        return list.path("items")
                .valueStream()
                .map(item -> item.path("metadata"))
                .map(it -> it.path("namespace").asString() + "/" + it.path("name").asString())
                .toList();
    }

    private static String spec(int weight, String node) {
        return ",\"spec\":{\"weight\":%d,\"node\":\"%s\"}".formatted(weight, node);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
