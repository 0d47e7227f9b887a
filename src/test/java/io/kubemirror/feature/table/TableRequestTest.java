package io.kubemirror.feature.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.ApiClient;
import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.WatchClient;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Scope.Extent;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.List;

/** Tables over HTTP (list-watch.md#tables). */
class TableRequestTest {

    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
    private static final String WIDGET =
            "{\"metadata\":{\"name\":\"w\",\"namespace\":\"a\",\"resourceVersion\":\"5\",\"labels\":{\"app\":\"shop\"}}";
    private static final String PARTIAL =
            "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"name\":\"w\",\"namespace\":\"a\",\"resourceVersion\":\"5\",\"labels\":{\"app\":\"shop\"}}}";
    private static final String WIDGETS = "/apis/example.com/v1/widgets";

    private static final ApiFixture SERVED =
            ApiFixture.of("widgets.example.com", "pods", "jobs.batch", "gadgets.example.com");

    static {
        SERVED.writer().identify(ApiSamples.WIDGETS);
        ApiSamples.synchronize(
                SERVED.writer(),
                7,
                ApiSamples.object("a", "w", 5, "shop"),
                ApiSamples.object("b", "w", 6, "shop"));
        ApiSamples.fillWithGoldenPods(SERVED.writer(1));
    }

    @AfterAll
    static void stop() {
        SERVED.close();
    }

    private static HttpResponse<String> get(ApiFixture served, String path, String accept) {
        return served.client().get(path, "User-Agent", "kubectl", "Accept", accept);
    }

    private static String body(String path) {
        return get(SERVED, path, TABLE).body();
    }

    @Test
    void table_of_a_list_has_columns_and_rows() {
        JsonNode table = ApiClient.tree(body(WIDGETS + "?limit=1"));
        assertThat(table.propertyNames())
                .containsExactly("kind", "apiVersion", "metadata", "columnDefinitions", "rows");
        assertThat(table.path("kind").asString()).isEqualTo("Table");
        assertThat(table.path("apiVersion").asString()).isEqualTo("meta.k8s.io/v1");
        assertThat(table.path("metadata").propertyNames())
                .containsExactly("resourceVersion", "continue", "remainingItemCount");
        assertThat(table.path("columnDefinitions")).hasSize(2);
        assertThat(table.path("columnDefinitions").path(1))
                .hasToString(
                        "{\"name\":\"App\",\"type\":\"string\",\"format\":\"\",\"description\":\"Whose"
                            + " it is\",\"priority\":1}");
        assertThat(table.path("rows"))
                .hasToString("[{\"cells\":[\"w\",\"shop\"],\"object\":" + PARTIAL + "}]");
    }

    @Test
    void both_table_versions_are_served() {
        String table = get(SERVED, WIDGETS, TABLE.replace("v1", "v1beta1")).body();
        assertThat(table)
                .startsWith("{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1beta1\"")
                .contains(PARTIAL.replace("meta.k8s.io/v1", "meta.k8s.io/v1beta1"))
                .endsWith("]}\n");
    }

    @Test
    void kubectl_accept_header_selects_a_table() {
        String accept = TABLE + "," + TABLE.replace("v1", "v1beta1") + ",application/json";
        assertThat(get(SERVED, "/api/v1/pods", accept).body()).startsWith("{\"kind\":\"Table\"");
    }

    @Test
    void table_of_an_empty_list_has_no_rows() {
        assertThat(body("/apis/example.com/v1/namespaces/none/widgets"))
                .endsWith(",\"rows\":[]}\n");
    }

    @Test
    void table_of_an_object_has_one_row() {
        assertThat(body("/apis/example.com/v1/namespaces/a/widgets/w"))
                .contains("\"metadata\":{\"resourceVersion\":\"5\"},\"columnDefinitions\":[{")
                .endsWith("\"rows\":[{\"cells\":[\"w\",\"shop\"],\"object\":" + PARTIAL + "}]}\n");
    }

    @Test
    void include_object_selects_the_object_in_each_row() {
        String path = "/apis/example.com/v1/namespaces/a/widgets?includeObject=";
        assertThat(body(path + "Object"))
                .contains(
                        "\"object\":{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\","
                                + WIDGET.substring(1));
        assertThat(body(path + "None")).contains("\"object\":null}");
        assertThat(body(path + "Metadata")).isEqualTo(body(path)).contains(PARTIAL);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                WIDGETS + "?includeObject=object",
                WIDGETS + "?watch=1&includeObject=object",
                "/apis/example.com/v1/namespaces/a/widgets/w?includeObject=object"
            })
    void invalid_include_object_is_rejected(String path) {
        HttpResponse<String> answer = get(SERVED, path, TABLE + ",application/json");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(ApiClient.tree(answer.body()).path("message").asString())
                .isEqualTo(
                        "Unable to convert to Table as requested: includeObject: Invalid value:"
                                + " \"object\": must be 'Metadata', 'Object', 'None', or empty");
    }

    @Test
    void invalid_include_object_value_is_quoted_as_json() {
        assertThat(body(WIDGETS + "?includeObject=%3Cb%3E"))
                .contains("Invalid value: \\\"\\\\u003cb\\\\u003e\\\": must be");
    }

    @Test
    void include_object_is_ignored_without_a_table() {
        assertThat(get(SERVED, WIDGETS + "?includeObject=x", "application/json").statusCode())
                .isEqualTo(200);
    }

    @Test
    void table_of_an_unknown_type_shows_name_and_created_at() {
        SERVED.writer(3)
                .identify(
                        new ResourceType(
                                "example.com",
                                "v1",
                                "Gadget",
                                "gadgets",
                                "gadget",
                                true,
                                List.of(),
                                List.of()));
        ApiSamples.synchronize(SERVED.writer(3), 3, ApiSamples.object("a", "g", 2));
        JsonNode table = ApiClient.tree(body("/apis/example.com/v1/gadgets"));
        assertThat(
                        table.path("columnDefinitions")
                                .valueStream()
                                .map(c -> c.path("name").asString()))
                .containsExactly("Name", "Created At");
        assertThat(table.path("columnDefinitions").path(1).path("type").asString())
                .isEqualTo("date");
    }

    /** A bookmark as a table is one row whose metadata has the revision (list-watch.md#ne-28). */
    @Test
    void bookmark_has_the_type_of_whole_objects() {
        try (WatchClient watch =
                SERVED.client()
                        .watch(
                                WIDGETS
                                        + "?watch=1&allowWatchBookmarks=true&includeObject=Object"
                                        + "&labelSelector=none",
                                "Accept",
                                TABLE)) {
            assertThat(watch.next())
                    .startsWith("{\"type\":\"BOOKMARK\"")
                    .contains(
                            "\"object\":{\"apiVersion\":\"example.com/v1\","
                                    + "\"kind\":\"Widget\",\"metadata\":{\"resourceVersion\":");
        }
    }

    /** In a watch as tables only the first table has column definitions (list-watch.md#go-27). */
    @Test
    void go_27_only_the_first_frame_has_column_definitions() {
        try (ApiFixture served = ApiFixture.of("widgets.example.com")) {
            served.writer().identify(ApiSamples.WIDGETS);
            ApiSamples.synchronize(
                    served.writer(),
                    7,
                    ApiSamples.object("a", "w", 5, "shop"),
                    ApiSamples.object("b", "w", 6, "shop"));
            try (WatchClient watch =
                    served.client()
                            .watch(
                                    WIDGETS
                                            + "?watch=1&allowWatchBookmarks=true&includeObject=None",
                                    "Accept",
                                    TABLE)) {
                assertThat(watch.next())
                        .startsWith(
                                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"5\"},\"columnDefinitions\":[{\"name\":\"Name\"")
                        .endsWith("\"rows\":[{\"cells\":[\"w\",\"shop\"],\"object\":null}]}}");
                assertThat(watch.next()).isEqualTo(frame("ADDED", 6, "\"w\",\"shop\"", "null"));
                assertThat(watch.next())
                        .isEqualTo(
                                frame(
                                        "BOOKMARK",
                                        7,
                                        "\"\",null",
                                        "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"7\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}"));
                served.writer().upsert(ApiSamples.object("a", "w", 8, "office"));
                ApiSamples.delete(served.writer(), "a", "w", 9);
                assertThat(watch.next())
                        .isEqualTo(frame("MODIFIED", 8, "\"w\",\"office\"", "null"));
                assertThat(watch.next()).isEqualTo(frame("DELETED", 9, "\"w\",\"office\"", "null"));
            }
        }
    }

    private static String frame(String type, long revision, String cells, String object) {
        return "{\"type\":\""
                + type
                + "\",\"object\":{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\""
                + revision
                + "\"},\"columnDefinitions\":null,\"rows\":[{\"cells\":["
                + cells
                + "],\"object\":"
                + object
                + "}]}}";
    }

    @Test
    void watch_error_is_sent_as_a_status_instead_of_a_table() {
        try (WatchClient watch =
                SERVED.client().watch(WIDGETS + "?watch=1&resourceVersion=1", "Accept", TABLE)) {
            assertThat(watch.next())
                    .startsWith("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"");
        }
    }

    @Test
    void metadata_only_mirror_serves_tables_without_whole_objects() {
        Scope pods = ApiFixture.scope("pods", "");
        try (ApiFixture served =
                ApiFixture.of(new Scope(pods.resource(), pods.selection(), Extent.METADATA))) {
            ApiSamples.fillWithGoldenPods(served.writer());
            JsonNode table = ApiClient.tree(get(served, "/api/v1/pods", TABLE).body());
            assertThat(table.path("rows")).hasSize(3);
            assertThat(table.path("columnDefinitions")).hasSize(2);
            assertThat(get(served, "/api/v1/pods?includeObject=Object", TABLE).statusCode())
                    .isEqualTo(406);
        }
    }
}
