package io.kubemirror.feature.union;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.FailureStatuses;
import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.OpenWatch;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.util.List;

/** Tests a union of namespaces whose server progresses as the test says (list-watch.md#unions). */
class ScriptedUnionTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final UnionFixture kubemirror;

    ScriptedUnionTest() {
        server.create(configMap("a", "a-first"));
        server.create(configMap("b", "b-first"));
        kubemirror =
                new UnionFixture(
                        List.of(
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.upstream.audit-interval=0"),
                        "a",
                        "b");
    }

    @AfterEach
    void stop() {
        kubemirror.close();
        server.close();
    }

    private WatchReader watch() {
        long revision = JsonTrees.revision(kubemirror.client().read(UnionFixture.ALL));
        return kubemirror.client().watch(UnionFixture.ALL + "?watch=1&resourceVersion=" + revision);
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
                            return UnionFixture.revisions(
                                            kubemirror
                                                    .client()
                                                    .read(UnionFixture.ALL + "?resourceVersion=0"))
                                    .equals(UnionFixture.revisions(server.list(CONFIGMAPS)));
                        });
    }

    /** The server sends no bookmark, so that only a comparison shows that nothing has changed. */
    @Test
    void event_is_shown_when_the_quiet_namespace_has_been_compared_with_the_server() {
        try (WatchReader watch = watch()) {
            server.create(configMap("a", "a-second"));

            assertThat(brief(watch.next())).isEqualTo("ADDED a-second");
        }
        assertThat(
                        server.requests()
                                .all(
                                        request ->
                                                request.parameter("resourceVersionMatch")
                                                        .equals("Exact")))
                .isNotEmpty();
    }

    @Test
    void nothing_is_compared_while_nobody_reads() {
        server.create(configMap("a", "a-second"));
        bookmarkUntilShown();

        assertThat(
                        server.requests()
                                .all(
                                        request ->
                                                request.parameter("resourceVersionMatch")
                                                        .equals("Exact")))
                .isEmpty();
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
