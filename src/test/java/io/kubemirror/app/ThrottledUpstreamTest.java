package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.Map;

/** Tests {@link UpstreamPromises} with an API server that answers one request at a time. */
@WithApiServer(own = true, flags = "--max-requests-inflight=1")
class ThrottledUpstreamTest {

    /**
     * More megabytes than the socket buffers hold. A client that requests them and does not read
     * keeps the server busy.
     */
    private static final int LARGE_OBJECTS = 96;

    private static final String LARGE = "large";

    private final ApiServer server;
    private String namespace = "";

    ThrottledUpstreamTest(ApiServer server) {
        this.server = server;
    }

    @BeforeEach
    void create(TestNamespace mine) {
        namespace = mine.name();
        server.create(configMap(namespace, "a"));
        server.create(configMap(namespace, "b"));
        if (server.client().get("/api/v1/namespaces/" + LARGE).code() == 404) {
            server.ensureNamespace(LARGE);
            for (int i = 0; i < LARGE_OBJECTS; i++) {
                server.create(configMap(LARGE, "n" + i).data("k", "v".repeat(1_000_000)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void throttled_request_is_retried_after_the_requested_delay(Strategy strategy) {
        WatchReader other = occupied();
        try (ReflectorFixture fixture = mirroring(strategy)) {
            fixture.holdWaits();
            fixture.awaitRest();
            assertThat(fixture.waits().getFirst())
                    .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
            assertThat(fixture.mirror().upstream().problem()).contains("429");
            other.close();
            Map<String, String> truth = fixture.truth();
            fixture.releaseWaits();

            assertThat(fixture.synced().held()).isEqualTo(truth);
        }
    }

    /** A watch-list is a watch, of which this server answers any number. */
    @ParameterizedTest
    @EnumSource(names = {"LIST_WATCH", "LIST_WATCH_PARALLEL"})
    void clients_are_unaffected_by_a_throttled_list(Strategy strategy) {
        try (ReflectorFixture fixture = mirroring(strategy).synced()) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            // A watch that has brought nothing yet would not be continued.
            server.create(configMap(namespace, "first"));
            follower.readUntil(fixture.truth());
            fixture.holdWaits();
            server.stop();
            fixture.awaitRest();
            server.start();
            server.delete(ServedTypes.CONFIGMAPS, namespace, "a");
            server.create(configMap(namespace, "c"));
            server.restart();
            Map<String, String> truth = fixture.truth();
            try (WatchReader _ = occupied()) {
                // The watch comes first, and learns that its revision is gone.
                do {
                    fixture.releaseWait();
                } while (!fixture.mirror().upstream().problem().contains("429"));
            }
            fixture.releaseWaits();

            follower.readUntil(truth);
            assertThat(follower.seen())
                    .containsExactlyInAnyOrder(
                            "ADDED " + namespace + "/first",
                            "DELETED " + namespace + "/a",
                            "ADDED " + namespace + "/c");
            fixture.stop();
            assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    private ReflectorFixture mirroring(Strategy strategy) {
        return ReflectorFixture.of(
                server, ServedTypes.CONFIGMAPS, strategy, ReflectorFixture.namespace(namespace));
    }

    /** A request that the server cannot finish until it is closed. */
    private WatchReader occupied() {
        WatchReader request = server.client().watch(ServedTypes.CONFIGMAPS.collectionPath(LARGE));
        while (request.code() != 200) {
            // The server has not quite finished what came before.
            request.close();
            request = server.client().watch(ServedTypes.CONFIGMAPS.collectionPath(LARGE));
        }
        return request;
    }
}
