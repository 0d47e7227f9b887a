package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.ResourceType;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.source.Source;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.UpstreamInterceptor;
import io.kubemirror.testing.WatchRequests;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Tests {@link UpstreamPromises} with an API server that ends every watch after 2 to 4 seconds. */
@WithApiServer(own = true, flags = "--min-request-timeout=2")
class ShortWatchUpstreamTest {

    private static final int STREAMS = 3;

    private final ApiServer server;
    private final String namespace;
    private final List<ReflectorFixture> fixtures = new ArrayList<>();

    ShortWatchUpstreamTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        this.namespace = namespace.name();
    }

    @AfterEach
    void stop() {
        fixtures.forEach(ReflectorFixture::close);
    }

    /** One collection is busy and one is quiet; all strategies at the same time, to save time. */
    @Test
    void normal_watch_end_causes_no_list_and_no_duplicate_event() {
        Arrays.stream(Strategy.values())
                .forEach(strategy -> mirror(ServedTypes.CONFIGMAPS, strategy));
        List<FoldingWatcher> followers =
                fixtures.stream().map(ReflectorFixture::mirror).map(FoldingWatcher::new).toList();
        Arrays.stream(Strategy.values()).forEach(strategy -> mirror(ServedTypes.SECRETS, strategy));

        List<String> written = new ArrayList<>();
        while (fixtures.stream().anyMatch(ShortWatchUpstreamTest::isYoung)) {
            String name = "n" + written.size();
            server.create(configMap(namespace, name));
            written.add("ADDED " + namespace + "/" + name);
        }

        for (FoldingWatcher follower : followers) {
            follower.readUntil(fixtures.getFirst().truth());
            assertThat(follower.seen()).isEqualTo(written);
        }
        assertThat(fixtures)
                .allSatisfy(
                        fixture -> {
                            assertThat(fixture.waits()).isEmpty();
                            assertThat(fixture.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
                            assertThat(fixture.count(Counter.EVENTS_DUPLICATE)).isZero();
                        });
    }

    private static boolean isYoung(ReflectorFixture fixture) {
        return fixture.count(Counter.WATCHES_ENDED) < STREAMS;
    }

    private void mirror(ResourceType type, Strategy strategy) {
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(type)
                        .only(ReflectorFixture.namespace(namespace))
                        .by(strategy)
                        .through(ShortWatchUpstreamTest::asLongAsTheServerLikes);
        fixtures.add(ReflectorFixture.of(server, plan).synced());
    }

    /** Without a wish of the client's the server's own limit counts. */
    private static Source asLongAsTheServerLikes(Source api) {
        return new UpstreamInterceptor(
                api,
                list -> {},
                watch ->
                        WatchRequests.withBookmarks(
                                watch.collection(),
                                watch.revision(),
                                watch.initialEvents(),
                                Duration.ZERO,
                                watch.silence(),
                                watch.silence()));
    }
}
