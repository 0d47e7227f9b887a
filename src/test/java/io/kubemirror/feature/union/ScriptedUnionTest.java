package io.kubemirror.feature.union;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.testing.FailureStatuses;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.RestClient;
import io.kubemirror.testing.RestClient.RestResponse;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.OpenWatch;
import io.kubemirror.testing.scripted.ReceivedRequest;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Tests a union of namespaces whose server progresses as the test says (list-watch.md#unions). */
class ScriptedUnionTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final String ALL = "/api/v1/configmaps";

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final ConfigurableApplicationContext kubemirror;

    ScriptedUnionTest() {
        server.create(configMap("a", "a-first"));
        server.create(configMap("b", "b-first"));
        kubemirror =
                ApplicationLauncher.mirroring(
                        server.url(),
                        "configmaps",
                        "kubemirror.upstream.audit-interval=0",
                        "kubemirror.shutdown.watch-spread=0s",
                        "kubemirror.resources[0].union=true",
                        "kubemirror.resources[0].namespaces=a,b");
        Awaitility.await().atMost(LIMIT).until(() -> client().get(ALL).code() == 200);
    }

    @AfterEach
    void stop() {
        kubemirror.close();
        server.close();
    }

    private RestClient client() {
        return ApplicationLauncher.api(kubemirror);
    }

    private static Map<String, Long> revisions(JsonNode list) {
        Map<String, Long> revisions = new TreeMap<>();
        list.path("items")
                .forEach(item -> revisions.put(JsonTrees.name(item), JsonTrees.revision(item)));
        return revisions;
    }

    private WatchReader watch() {
        long revision = JsonTrees.revision(client().read(ALL));
        return client().watch(ALL + "?watch=1&resourceVersion=" + revision);
    }

    private static String brief(ObjectNode event) {
        return event.path("type").asString() + " " + JsonTrees.name(event.path("object"));
    }

    /** Sends bookmarks until a list of all namespaces equals the server's. */
    private void bookmarkUntilShown() {
        Awaitility.await()
                .atMost(LIMIT)
                .until(
                        () -> {
                            server.bookmark(CONFIGMAPS);
                            return revisions(client().read(ALL + "?resourceVersion=0"))
                                    .equals(revisions(server.list(CONFIGMAPS)));
                        });
    }

    private List<ReceivedRequest> comparisons() {
        return server.requests()
                .all(request -> request.parameter("resourceVersionMatch").equals("Exact"));
    }

    /** The server sends no bookmark, so that only a comparison shows that nothing has changed. */
    @Test
    void event_is_shown_when_the_quiet_namespace_has_been_compared_with_the_server() {
        try (WatchReader watch = watch()) {
            server.create(configMap("a", "a-second"));

            assertThat(brief(watch.next())).isEqualTo("ADDED a-second");
        }
        assertThat(comparisons()).isNotEmpty();
    }

    /** A user may have permissions in these namespaces only. */
    @Test
    void all_namespaces_are_never_read_together() {
        server.create(configMap("c", "c-first"));

        assertThat(revisions(client().read(ALL))).containsOnlyKeys("a-first", "b-first");
        assertThat(server.requests().all(request -> request.path().equals(ALL))).isEmpty();
    }

    /** The server would answer for all namespaces, also for those that are not mirrored. */
    @Test
    void late_list_of_the_union_is_not_answered_by_the_server() {
        server.create(configMap("c", "c-first"));

        for (String query :
                List.of("", "?resourceVersion=0", "?limit=1", "?labelSelector=app!=x")) {
            RestResponse answer = client().get(ALL + query, "Kubemirror-Min-Revision", "99999999");

            assertThat(answer.code()).as(query).isEqualTo(504);
        }
        assertThat(server.requests().all(request -> request.path().equals(ALL))).isEmpty();
    }

    @Test
    void nothing_is_compared_while_nobody_reads() {
        server.create(configMap("a", "a-second"));
        bookmarkUntilShown();

        assertThat(comparisons()).isEmpty();
    }

    @Test
    void watch_of_the_union_survives_410_of_one_member() {
        try (WatchReader watch = watch()) {
            OpenWatch first = server.awaitWatches(CONFIGMAPS, 2).getFirst();
            first.fail(FailureStatuses.status(410, "Expired", "too old resource version"));
            server.create(configMap("a", "a-second"));
            server.create(configMap("b", "b-second"));
            server.delete(CONFIGMAPS, "a", "a-first");
            bookmarkUntilShown();

            assertThat(watch.next(3))
                    .extracting(ScriptedUnionTest::brief)
                    .containsExactlyInAnyOrder(
                            "ADDED a-second", "ADDED b-second", "DELETED a-first");
        }
    }
}
