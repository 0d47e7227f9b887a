package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

/** Tests {@link UpstreamPromises} with an API server without watch-lists. */
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
    void mirror_lists_at_once_without_watch_list_support(Strategy strategy) {
        try (ReflectorFixture fixture = mirroring(strategy).synced()) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            server.create(configMap(namespace, "f"));

            follower.readUntil(fixture.truth());
            assertThat(follower.seen()).containsExactly("ADDED " + namespace + "/f");
            assertThat(fixture.waits()).isEmpty();
            assertThat(fixture.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
        }
    }

    @Test
    void unsupported_watch_list_strategy_is_reported() {
        try (ReflectorFixture fixture = mirroring(Strategy.WATCH_LIST)) {
            fixture.holdWaits();
            fixture.awaitRest();

            assertThat(fixture.mirror().upstream().phase()).isEqualTo(Phase.BACKING_OFF);
            assertThat(fixture.mirror().upstream().problem()).contains("422", "sendInitialEvents");
            assertThat(fixture.mirror().snapshot()).isEmpty();
        }
    }

    private ReflectorFixture mirroring(Strategy strategy) {
        return ReflectorFixture.of(
                server, ServedTypes.CONFIGMAPS, strategy, ReflectorFixture.namespace(namespace));
    }
}
