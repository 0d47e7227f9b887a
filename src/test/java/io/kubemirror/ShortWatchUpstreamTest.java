package io.kubemirror;

import static io.kubemirror.testground.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.WatchRequest;
import io.kubemirror.model.ResourceType;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.Detour;
import io.kubemirror.testground.Follower;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.ReflectionPlan;
import io.kubemirror.testground.TestNamespace;
import io.kubemirror.testground.Types;
import io.kubemirror.testground.WithApiServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The promises that a Kubernetes API server breaks which ends every watch after 2 to 4 seconds. */
@WithApiServer(own = true, flags = "--min-request-timeout=2")
class ShortWatchUpstreamTest {

    private static final int STREAMS = 3;

    private final ApiServer server;
    private final String namespace;
    private final List<Reflection> reflections = new ArrayList<>();

    ShortWatchUpstreamTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        this.namespace = namespace.name();
    }

    @AfterEach
    void stop() {
        reflections.forEach(Reflection::close);
    }

    /** One collection is busy and one is quiet; all strategies at the same time, to save time. */
    @Test
    void watches_that_end_as_they_should_cost_neither_a_list_nor_an_event() {
        Arrays.stream(Strategy.values()).forEach(strategy -> mirror(Types.CONFIGMAPS, strategy));
        List<Follower> followers =
                reflections.stream().map(Reflection::mirror).map(Follower::new).toList();
        Arrays.stream(Strategy.values()).forEach(strategy -> mirror(Types.SECRETS, strategy));

        List<String> written = new ArrayList<>();
        while (reflections.stream().anyMatch(ShortWatchUpstreamTest::isYoung)) {
            String name = "n" + written.size();
            server.create(configMap(namespace, name));
            written.add("ADDED " + namespace + "/" + name);
        }

        for (Follower follower : followers) {
            follower.readUntil(reflections.getFirst().truth());
            assertThat(follower.seen()).isEqualTo(written);
        }
        assertThat(reflections)
                .allSatisfy(
                        reflection -> {
                            assertThat(reflection.waits()).isEmpty();
                            assertThat(reflection.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
                            assertThat(reflection.count(Counter.EVENTS_DUPLICATE)).isZero();
                        });
    }

    private static boolean isYoung(Reflection reflection) {
        return reflection.count(Counter.WATCHES_ENDED) < STREAMS;
    }

    private void mirror(ResourceType type, Strategy strategy) {
        ReflectionPlan plan =
                ReflectionPlan.of(type)
                        .only(Reflection.namespace(namespace))
                        .by(strategy)
                        .through(ShortWatchUpstreamTest::asLongAsTheServerLikes);
        reflections.add(Reflection.of(server, plan).synchronised());
    }

    /** Without a wish of the client's the server's own limit counts. */
    private static KubeApi asLongAsTheServerLikes(KubeApi api) {
        return new Detour(
                api,
                list -> {},
                watch ->
                        new WatchRequest(
                                watch.collection(),
                                watch.revision(),
                                watch.initialEvents(),
                                Duration.ZERO,
                                watch.silence()));
    }
}
