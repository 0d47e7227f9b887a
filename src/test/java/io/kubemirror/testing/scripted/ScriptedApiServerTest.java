package io.kubemirror.testing.scripted;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.Manifests.widget;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;
import static io.kubemirror.testing.scripted.ServedTypes.WIDGETS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.WatchReader;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** The golden cases of the specification (section 20), asked of the scripted server itself. */
class ScriptedApiServerTest {

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final RestClient client = server.client();

    @BeforeEach
    void fill() {
        server.advanceTo(100);
        server.create(pod("a-b", "x").label("app", "v"));
        server.create(pod("a", "y").label("app", "w"));
        server.create(pod("a", "x").label("app", "v"));
        server.advanceTo(110);
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void list_is_in_key_order_and_omits_kind_in_its_items() {
        ObjectNode list = list("/api/v1/pods");

        assertThat(keys(list)).containsExactly("a-b/x", "a/x", "a/y");
        assertThat(JsonTrees.text(list.path("metadata")))
                .isEqualTo("{\"resourceVersion\":\"110\"}");
        assertThat(list.path("items").get(0).has("kind")).isFalse();
    }

    @Test
    void metadata_list_contains_only_metadata_and_has_its_own_kind() {
        String accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

        ObjectNode list = client.get("/api/v1/pods?limit=2", "Accept", accept).json();

        assertThat(list.path("kind").asString()).isEqualTo("PartialObjectMetadataList");
        assertThat(list.at("/metadata/continue").asString()).isNotEmpty();
        assertThat(keys(list)).containsExactly("a-b/x", "a/x");
        assertThat(list.at("/items/0").propertyNames())
                .containsExactly("kind", "apiVersion", "metadata");
        assertThat(list.at("/items/0/kind").asString()).isEqualTo("PartialObjectMetadata");
    }

    @Test
    void list_requested_as_partial_object_metadata_returns_406() {
        String accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

        assertThat(client.get("/api/v1/pods", "Accept", accept).code()).isEqualTo(406);
    }

    @Test
    void items_of_a_custom_resource_list_have_a_kind() {
        server.create(widget("a", "w", 1));

        ObjectNode list = list(WIDGETS.collectionPath());

        assertThat(list.path("items").get(0).path("kind").asString()).isEqualTo("Widget");
        assertThat(list.path("metadata").path("continue").asString()).isEmpty();
    }

    @Test
    void all_pages_show_the_state_of_the_first_page() {
        ObjectNode first = list("/api/v1/pods?limit=1");
        server.delete(PODS, "a", "x");
        ObjectNode second = list("/api/v1/pods?limit=1&continue=" + token(first));
        ObjectNode third = list("/api/v1/pods?limit=1&continue=" + token(second));

        assertThat(decoded(token(first)))
                .isEqualTo("{\"v\":\"meta.k8s.io/v1\",\"rv\":110,\"start\":\"/a-b/x\\u0000\"}");
        assertThat(first.path("metadata").path("remainingItemCount").asInt()).isEqualTo(2);
        assertThat(keys(second)).containsExactly("a/x");
        assertThat(JsonTrees.revision(second)).isEqualTo(110);
        assertThat(keys(third)).containsExactly("a/y");
        assertThat(token(third)).isEmpty();
        assertThat(JsonTrees.revision(list("/api/v1/pods"))).isEqualTo(111);
    }

    @Test
    void page_with_a_selector_omits_the_remaining_item_count() {
        ObjectNode page = list("/api/v1/pods?limit=1&labelSelector=app%3Dv");

        assertThat(keys(page)).containsExactly("a-b/x");
        assertThat(token(page)).isNotEmpty();
        assertThat(page.path("metadata").has("remainingItemCount")).isFalse();
    }

    @Test
    void list_at_revision_zero_ignores_the_limit() {
        assertThat(keys(list("/api/v1/pods?limit=1&resourceVersion=0"))).hasSize(3);
    }

    @Test
    void list_revision_is_exact_with_a_limit_and_a_minimum_without() {
        assertThat(keys(list("/api/v1/pods?limit=5&resourceVersion=101"))).containsExactly("a-b/x");
        assertThat(keys(list("/api/v1/pods?resourceVersion=101"))).hasSize(3);
        assertThat(keys(list("/api/v1/pods?resourceVersion=102" + "&resourceVersionMatch=Exact")))
                .containsExactly("a-b/x", "a/y");
    }

    @Test
    void list_at_a_future_revision_returns_504_with_its_cause() {
        RestClient.RestResponse reply = client.get("/api/v1/pods?resourceVersion=200");

        assertThat(reply.code()).isEqualTo(504);
        assertThat(reply.header("retry-after")).isEqualTo("1");
        assertThat(reply.json().path("message").asString())
                .isEqualTo("Timeout: Too large resource version: 200, current: 110");
        assertThat(reply.json().at("/details/causes/0/reason").asString())
                .isEqualTo("ResourceVersionTooLarge");
    }

    @Test
    void compacted_continue_token_returns_410_with_a_new_token() {
        String token = token(list("/api/v1/pods?limit=1"));
        server.advanceTo(300);
        server.compact();

        RestClient.RestResponse expired = client.get("/api/v1/pods?continue=" + token);
        String offered = token(expired.json());

        assertThat(expired.code()).isEqualTo(410);
        assertThat(expired.json().path("reason").asString()).isEqualTo("Expired");
        assertThat(decoded(offered)).contains("\"rv\":-1").contains("a-b/x\\u0000");
        ObjectNode rest = list("/api/v1/pods?continue=" + offered);
        assertThat(keys(rest)).containsExactly("a/x", "a/y");
        assertThat(JsonTrees.revision(rest)).isEqualTo(300);
    }

    @Test
    void watch_from_zero_sends_initial_events_and_marks_their_end_with_bookmarks() {
        try (WatchReader plain = client.watch("/api/v1/pods?watch=1&resourceVersion=0");
                WatchReader bookmarked =
                        client.watch(
                                "/api/v1/pods?watch=1&resourceVersion=0"
                                        + "&allowWatchBookmarks=true")) {
            assertThat(texts(plain, 3))
                    .containsExactly("ADDED a-b/x 101", "ADDED a/x 103", "ADDED a/y 102");
            bookmarked.next(3);
            ObjectNode end = bookmarked.next();
            assertThat(text(end)).isEqualTo("BOOKMARK  110");
            assertThat(end.at("/object/metadata/annotations/k8s.io~1initial-events-end").asString())
                    .isEqualTo("true");
            server.delete(PODS, "a", "y");
            assertThat(text(plain.next())).isEqualTo("DELETED a/y 111");
            assertThat(text(bookmarked.next())).isEqualTo("DELETED a/y 111");
        }
    }

    @Test
    void watch_from_a_compacted_revision_ends_with_an_expired_error() {
        server.compact();
        try (WatchReader watch = client.watch("/api/v1/pods?watch=1&resourceVersion=109")) {
            assertThat(watch.code()).isEqualTo(200);
            assertThat(watch.nextLine())
                    .contains(
                            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\","
                                    + "\"apiVersion\":\"v1\",\"metadata\":{},"
                                    + "\"status\":\"Failure\","
                                    + "\"message\":\"too old resource version: 109 (110)\","
                                    + "\"reason\":\"Expired\",\"code\":410}}");
            assertThat(watch.nextLine()).isEmpty();
        }
    }

    @Test
    void watch_replays_events_after_its_revision() {
        try (WatchReader watch = client.watch("/api/v1/pods?watch=1&resourceVersion=101")) {
            assertThat(texts(watch, 2)).containsExactly("ADDED a/y 102", "ADDED a/x 103");
        }
    }

    @Test
    void watch_with_a_selector_reports_entering_and_leaving_objects() {
        try (WatchReader watch =
                client.watch("/api/v1/pods?watch=1&resourceVersion=110&labelSelector=app%3Dw")) {
            server.advanceTo(111);
            server.label(PODS, "a", "y", "app", "z");
            server.label(PODS, "a", "x", "app", "w");
            ObjectNode left = watch.next();
            assertThat(text(left)).isEqualTo("DELETED a/y 112");
            assertThat(left.at("/object/metadata/labels/app").asString()).isEqualTo("w");
            assertThat(text(watch.next())).isEqualTo("ADDED a/x 113");
        }
    }

    @Test
    void watch_from_a_future_revision_omits_earlier_events() {
        try (WatchReader watch = client.watch("/api/v1/pods?watch=1&resourceVersion=500")) {
            server.awaitWatch(PODS);
            server.delete(PODS, "a", "x");
            server.advanceTo(500);
            server.delete(PODS, "a", "y");
            assertThat(text(watch.next())).isEqualTo("DELETED a/y 501");
        }
    }

    @Test
    void bookmark_is_sent_on_command_to_watches_that_allow_bookmarks() {
        String target = "/api/v1/pods?watch=1&resourceVersion=110";
        String none = "&fieldSelector=metadata.namespace%3Dzzz";
        try (WatchReader with = client.watch(target + none + "&allowWatchBookmarks=true");
                WatchReader without = client.watch(target)) {
            server.awaitWatches(PODS, 2);
            server.advanceTo(120);
            server.bookmark(PODS);
            server.delete(PODS, "a", "x");
            assertThat(text(with.next())).isEqualTo("BOOKMARK  120");
            assertThat(text(without.next())).isEqualTo("DELETED a/x 121");
        }
    }

    @Test
    void watch_list_without_resource_version_match_returns_422() {
        RestClient.RestResponse reply = client.get("/api/v1/pods?watch=1&sendInitialEvents=true");

        assertThat(reply.code()).isEqualTo(422);
        assertThat(reply.json().path("message").asString())
                .isEqualTo(
                        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden:"
                                + " sendInitialEvents requires setting resourceVersionMatch to"
                                + " NotOlderThan");
        assertThat(reply.json().at("/details/causes/0/field").asString())
                .isEqualTo("resourceVersionMatch");
    }

    @Test
    void disabled_watch_list_returns_422() {
        server.watchList(false);

        RestClient.RestResponse reply =
                client.get(
                        "/api/v1/pods?watch=1&sendInitialEvents=true"
                                + "&resourceVersionMatch=NotOlderThan");

        assertThat(reply.code()).isEqualTo(422);
        assertThat(reply.json().path("reason").asString()).isEqualTo("Invalid");
        assertThat(reply.json().path("message").asString()).contains("WatchList feature gate");
    }

    @Test
    void restart_closes_connections_and_drops_events_but_keeps_objects() {
        server.delete(PODS, "a", "x");
        try (WatchReader watch = client.watch("/api/v1/pods?watch=1&resourceVersion=111")) {
            server.awaitWatch(PODS);
            server.restart();
            assertThatThrownBy(watch::nextLine).isInstanceOf(UncheckedIOException.class);
        }
        assertThat(keys(list("/api/v1/pods"))).containsExactly("a-b/x", "a/y");
        assertThat(server.watches(PODS)).isEmpty();
        try (WatchReader watch = client.watch("/api/v1/pods?watch=1&resourceVersion=110")) {
            assertThat(watch.next().at("/object/message").asString())
                    .isEqualTo("too old resource version: 110 (111)");
        }
    }

    @Test
    void stopped_server_refuses_connections_until_it_restarts_at_the_same_address() {
        server.stop();
        assertThatThrownBy(() -> client.get("/api/v1/pods"))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("Failed to connect");
        server.start();
        assertThat(keys(list("/api/v1/pods"))).hasSize(3);
    }

    @Test
    void restored_backup_resets_content_and_revision() {
        ServerBackup serverBackup = server.serverBackup();
        server.create(pod("a", "z"));
        server.delete(PODS, "a", "x");
        server.restore(serverBackup);

        ObjectNode list = list("/api/v1/pods");

        assertThat(keys(list)).containsExactly("a-b/x", "a/x", "a/y");
        assertThat(JsonTrees.revision(list)).isEqualTo(110);
        assertThat(server.history(PODS)).hasSize(3);
    }

    @Test
    void update_without_a_difference_creates_no_revision() {
        server.label(PODS, "a", "x", "app", "v");

        assertThat(server.revision()).isEqualTo(110);
        assertThat(server.history(PODS)).hasSize(3);
    }

    @Test
    void objects_can_be_written_over_http() {
        String target = "/api/v1/namespaces/a/configmaps";
        RestClient.RestResponse created =
                client.send(
                        "POST", target, "{\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"1\"}}");
        RestClient.RestResponse again =
                client.send("POST", target, JsonTrees.text(configMap("a", "c").json()));
        client.send("PATCH", target + "/c", "{\"data\":{\"k\":null,\"l\":\"2\"}}");
        RestClient.RestResponse read = client.get(target + "/c");
        client.send("DELETE", target + "/c", null);

        assertThat(created.code()).isEqualTo(201);
        assertThat(again.code()).isEqualTo(409);
        assertThat(again.json().path("reason").asString()).isEqualTo("AlreadyExists");
        assertThat(JsonTrees.text(read.json().path("data"))).isEqualTo("{\"l\":\"2\"}");
        assertThat(client.get(target + "/c").json().path("message").asString())
                .isEqualTo("configmaps \"c\" not found");
        assertThat(server.history(CONFIGMAPS))
                .extracting(StoredEvent::kind)
                .containsExactly(
                        StoredEvent.EventKind.ADDED,
                        StoredEvent.EventKind.MODIFIED,
                        StoredEvent.EventKind.DELETED);
    }

    @Test
    void types_can_be_defined_and_withdrawn_at_run_time() {
        server.withdraw(WIDGETS);
        assertThat(client.get(WIDGETS.collectionPath()).code()).isEqualTo(404);
        assertThat(client.get("/apis").body()).doesNotContain("example.com");
        server.define(WIDGETS);
        assertThat(client.get(WIDGETS.collectionPath()).code()).isEqualTo(200);
        assertThat(client.get("/apis").body()).contains("example.com/v1");
    }

    @Test
    void discovery_is_aggregated_for_clients_that_accept_it() {
        String accept =
                "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
                        + ",application/json";

        RestClient.RestResponse aggregated = client.get("/apis", "Accept", accept);
        RestClient.RestResponse plain = client.get("/api/v1");

        assertThat(aggregated.header("content-type"))
                .isEqualTo("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
        assertThat(aggregated.json().at("/items/1/versions/0/resources/0/resource").asString())
                .isEqualTo("widgets");
        assertThat(plain.json().path("kind").asString()).isEqualTo("APIResourceList");
        assertThat(plain.body()).contains("\"name\":\"pods\"");
    }

    @Test
    void large_list_is_compressed_for_clients_that_accept_gzip() {
        server.create(configMap("a", "big").data("k", "x".repeat(140_000)));

        RestClient.RestResponse raw =
                client.get("/api/v1/configmaps", "Accept-Encoding", "gzip, identity");

        assertThat(raw.header("content-encoding")).isEqualTo("gzip");
        assertThat(keys(list("/api/v1/configmaps"))).containsExactly("a/big");
    }

    private ObjectNode list(String target) {
        RestClient.RestResponse reply = client.get(target);
        assertThat(reply.code()).as(reply.body()).isEqualTo(200);
        return reply.json();
    }

    private static List<String> keys(ObjectNode list) {
        return list.path("items").valueStream().map(JsonTrees::key).toList();
    }

    private static String token(JsonNode list) {
        return list.path("metadata").path("continue").asString("");
    }

    private static String decoded(String token) {
        return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
    }

    private static List<String> texts(WatchReader watch, int count) {
        return watch.next(count).stream().map(ScriptedApiServerTest::text).toList();
    }

    private static String text(ObjectNode frame) {
        JsonNode object = frame.path("object");
        return frame.path("type").asString()
                + " "
                + JsonTrees.key(object)
                + " "
                + JsonTrees.revision(object);
    }
}
