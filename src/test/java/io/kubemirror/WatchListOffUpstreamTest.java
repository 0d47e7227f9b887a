package io.kubemirror;

import static io.kubemirror.testground.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.Follower;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.TestNamespace;
import io.kubemirror.testground.Types;
import io.kubemirror.testground.WithApiServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

/** The promises that a Kubernetes API server without watch-lists can break. */
@WithApiServer(own = true, flags = "--feature-gates=WatchList=false")
class WatchListOffUpstreamTest {

    private final ApiServer server;
    private String namespace = "";

    WatchListOffUpstreamTest(ApiServer server) {
        this.server = server;
    }

    @BeforeEach
    void create(TestNamespace mine) {
        namespace = mine.name();
        List.of("a", "b", "c", "d", "e").forEach(name -> server.create(configMap(namespace, name)));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WATCH_LIST")
    void a_server_without_watch_lists_is_listed_at_once_and_followed(Strategy strategy) {
        try (Reflection reflection = mirroring(strategy).synchronised()) {
            Follower follower = new Follower(reflection.mirror());
            server.create(configMap(namespace, "f"));

            follower.readUntil(reflection.truth());
            assertThat(follower.seen()).containsExactly("ADDED " + namespace + "/f");
            assertThat(reflection.waits()).isEmpty();
            assertThat(reflection.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
        }
    }

    @Test
    void a_strategy_that_the_server_does_not_know_says_so() {
        try (Reflection reflection = mirroring(Strategy.WATCH_LIST)) {
            reflection.holdWaits();
            reflection.awaitRest();

            assertThat(reflection.mirror().upstream().phase()).isEqualTo(Phase.BACKING_OFF);
            assertThat(reflection.mirror().upstream().problem())
                    .contains("422", "sendInitialEvents");
            assertThat(reflection.mirror().snapshot()).isEmpty();
        }
    }

    private Reflection mirroring(Strategy strategy) {
        return Reflection.of(server, Types.CONFIGMAPS, strategy, Reflection.namespace(namespace));
    }
}
