package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.scripted.ServedTypes.CONFIGMAPS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.real.WithApiServer;

import org.junit.jupiter.api.Test;

/**
 * A server without watch-lists rejects them, and is mirrored all the same (list-watch.md#va-10).
 */
@WithApiServer(own = true, flags = "--feature-gates=WatchList=false")
class WatchListOffTest {

    @Test
    void server_without_watch_lists_is_mirrored_and_followed(ApiServer server) {
        server.ensureNamespace("a");
        server.create(configMap("a", "x"));
        String initial = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

        assertThat(server.client().get(CONFIGMAPS.collectionPath() + initial).code())
                .isEqualTo(422);
        try (ReflectorFixture fixture =
                ReflectorFixture.of(server, CONFIGMAPS, Strategy.AUTO).synced()) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            server.create(configMap("a", "y"));
            follower.readUntil(fixture.truth());
            assertThat(follower.seen()).contains("ADDED a/y");
        }
    }
}
