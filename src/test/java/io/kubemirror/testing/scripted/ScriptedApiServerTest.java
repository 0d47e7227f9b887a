package io.kubemirror.testing.scripted;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.pod;
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
import java.util.List;

/** What only the scripted server does; ScriptedApiServerParityTest has what a real one does. */
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
    void types_can_be_defined_and_withdrawn_at_run_time() {
        server.withdraw(WIDGETS);
        assertThat(client.get(WIDGETS.collectionPath()).code()).isEqualTo(404);
        assertThat(client.get("/apis").body()).doesNotContain("example.com");
        server.define(WIDGETS);
        assertThat(client.get(WIDGETS.collectionPath()).code()).isEqualTo(200);
        assertThat(client.get("/apis").body()).contains("example.com/v1");
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

    private static String text(ObjectNode frame) {
        JsonNode object = frame.path("object");
        return frame.path("type").asString()
                + " "
                + JsonTrees.key(object)
                + " "
                + JsonTrees.revision(object);
    }
}
