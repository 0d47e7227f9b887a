package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.SelectorException;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * The golden cases with selectors (list-watch.md#examples), and combinations of paths and
 * selectors.
 */
class GoldenSelectorTest {

    private static final String WATCH = "/api/v1/pods?watch=1&resourceVersion=110";

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
    void go_4_page_of_a_selection_omits_remaining_item_count() {
        JsonNode list = client.json("/api/v1/pods?limit=1&labelSelector=app%3Dv");
        assertThat(list.path("items")).hasSize(1);
        assertThat(list.at("/items/0/metadata/namespace").asString()).isEqualTo("a-b");
        assertThat(list.path("metadata").has("continue")).isTrue();
        assertThat(list.path("metadata").has("remainingItemCount")).isFalse();
        JsonNode rest =
                client.json(
                        "/api/v1/pods?limit=1&labelSelector=app%3Dv&continue="
                                + list.at("/metadata/continue").asString());
        assertThat(rest.at("/items/0/metadata/namespace").asString()).isEqualTo("a");
    }

    @Test
    void go_9_selection_without_matches_returns_an_empty_list() {
        assertThat(client.get("/api/v1/namespaces/a/pods?labelSelector=none").body())
                .isEqualTo(
                        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"110\"},\"items\":[]}\n");
    }

    @Test
    void go_14_leaving_the_selection_sends_deleted_with_the_previous_object() {
        try (WatchClient watch = client.watch(WATCH + "&labelSelector=app%3Dw")) {
            SERVED.writer().upsert(ApiSamples.object("a", "y", 112, "z"));
            assertThat(watch.next())
                    .isEqualTo(
                            "{\"type\":\"DELETED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"y\",\"namespace\":\"a\",\"resourceVersion\":\"112\",\"labels\":{\"app\":\"w\"}}}}");
        }
    }

    @Test
    void go_15_entering_the_selection_sends_added() {
        try (WatchClient watch = client.watch(WATCH + "&labelSelector=app%3Dw");
                WatchClient all = client.watch(WATCH)) {
            SERVED.writer().upsert(ApiSamples.object("a", "x", 113, "w"));
            assertThat(watch.brief()).isEqualTo("ADDED a/x 113");
            assertThat(all.brief()).isEqualTo("MODIFIED a/x 113");
        }
    }

    @Test
    void go_17_watch_without_matches_still_receives_bookmarks() {
        ApiTimings hasty =
                new ApiTimings(
                        Duration.ofMillis(50),
                        Duration.ofMillis(20),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(15),
                        ApiTimings.standard().watches());
        try (ApiFixture others = ApiFixture.of(hasty, "pods")) {
            ApiSamples.fillWithGoldenPods(others.writer());
            try (WatchClient watch =
                    others.client()
                            .watch(
                                    WATCH
                                            + "&fieldSelector=metadata.namespace%3Dzzz&allowWatchBookmarks=true")) {
                others.writer().bookmark(ApiSamples.revision(120));
                assertThat(watch.brief()).isEqualTo("BOOKMARK 120");
            }
        }
    }

    /** The server's own interval is a minute. */
    @Test
    void client_may_ask_for_its_own_interval_of_bookmarks() {
        try (ApiFixture others = ApiFixture.of(ApiTimings.standard(), "pods")) {
            ApiSamples.fillWithGoldenPods(others.writer());
            long begin = System.nanoTime();
            try (WatchClient watch =
                    others.client()
                            .watch(WATCH + "&allowWatchBookmarks=true&bookmarkIntervalSeconds=1")) {
                others.writer().bookmark(ApiSamples.revision(120));
                assertThat(watch.brief()).isEqualTo("BOOKMARK 120");
                assertThat(watch.brief()).isEqualTo("BOOKMARK 120");
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .isBetween(Duration.ofSeconds(2), Duration.ofMinutes(1));
        }
    }

    @Test
    void go_20_selection_without_matches_sends_initial_events_end() {
        try (WatchClient watch =
                client.watch(
                        "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnope")) {
            assertThat(watch.next())
                    .isEqualTo(
                            "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"110\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}");
            SERVED.writer().upsert(ApiSamples.object("a", "nope", 111));
            assertThat(watch.brief()).isEqualTo("ADDED a/nope 111");
        }
    }

    @Test
    void go_23_deprecated_watch_path_can_name_an_object() {
        try (WatchClient watch =
                client.watch("/api/v1/watch/namespaces/a/pods/x?allowWatchBookmarks=true")) {
            assertThat(watch.brief()).isEqualTo("ADDED a/x 103");
            SERVED.writer().upsert(ApiSamples.object("a", "y", 111));
            SERVED.writer().upsert(ApiSamples.object("a", "x", 112));
            assertThat(watch.brief()).isEqualTo("MODIFIED a/x 112");
        }
    }

    @Test
    void deprecated_watch_path_rejects_a_conflicting_field_selector() {
        String path = "/api/v1/watch/namespaces/a/pods/x?fieldSelector=";
        for (String selector :
                new String[] {"metadata.name=y", "metadata.name!=x", "spec.nodeName=n"}) {
            HttpResponse<String> answer = client.get(path + selector);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body())
                    .contains("\"fieldSelector metadata.name doesn't match requested name\"");
        }
        try (WatchClient watch = client.watch(path + "metadata.name=x,spec.nodeName=n")) {
            assertThat(watch.code()).isEqualTo(200);
        }
    }

    @Test
    void list_of_one_name_in_one_namespace_ignores_paging_and_revision() {
        JsonNode list =
                client.json(
                        "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dx&limit=1&resourceVersion=105");
        assertThat(list.path("items")).hasSize(1);
        assertThat(list.at("/metadata/resourceVersion").asString()).isEqualTo("110");
        assertThat(list.path("metadata").has("continue")).isFalse();
    }

    @Test
    void namespace_field_selector_acts_like_a_namespace_path() {
        JsonNode list = client.json("/api/v1/pods?fieldSelector=metadata.namespace%3Da&limit=1");
        String token = list.at("/metadata/continue").asString();
        assertThat(client.json("/api/v1/namespaces/a/pods?continue=" + token).path("items"))
                .hasSize(1);
        assertThat(
                        client.json(
                                        "/api/v1/namespaces/a/pods?fieldSelector=metadata.namespace%3Db")
                                .path("items"))
                .isEmpty();
    }

    @Test
    void invalid_selectors_and_unsupported_fields_are_rejected() {
        assertThat(client.get("/api/v1/pods?labelSelector=a,").body())
                .contains("found '', expected: identifier after ','");
        assertThat(client.get("/api/v1/pods?fieldSelector=a").body())
                .contains("invalid selector: 'a'; can't understand 'a'");
        assertThat(client.get("/api/v1/pods?watch=1&fieldSelector=spec.nope%3Da").body())
                .contains("\"field label not supported: spec.nope\"");
    }

    @Test
    void mirror_of_a_selection_serves_only_its_scope() throws SelectorException {
        Scope scope =
                new Scope(
                        new ResourceName("pods"),
                        new Selection(
                                "",
                                LabelSelectorParser.parse("app=v"),
                                FieldSelector.everything()));
        try (ApiFixture part = ApiFixture.of(scope)) {
            part.writer().identify(ApiSamples.PODS);
            ApiSamples.synchronize(part.writer(), 110, ApiSamples.object("a", "x", 103, "v"));
            ApiClient client = part.client();
            assertThat(client.get("/api/v1/pods").statusCode()).isEqualTo(403);
            assertThat(client.json("/api/v1/pods?labelSelector=app%3Dv").path("items")).hasSize(1);
            assertThat(client.json("/api/v1/pods?labelSelector=app%3Dv,b").path("items")).isEmpty();
            assertThat(client.get("/api/v1/namespaces/a/pods/x").statusCode()).isEqualTo(200);
            assertThat(client.get("/api/v1/namespaces/a/pods/y").statusCode()).isEqualTo(403);
        }
    }
}
