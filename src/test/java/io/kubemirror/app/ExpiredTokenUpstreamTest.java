package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.source.ListRequest;
import io.kubemirror.source.Source;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.UpstreamInterceptor;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tests {@link UpstreamPromises} with an API server that forgets its history while it is listed.
 */
@WithApiServer(
        own = true,
        flags = {
            "--etcd-compaction-interval=0",
            "--feature-gates=ListFromCacheSnapshot=false",
            "--watch-cache-sizes=configmaps#0"
        })
@Timeout(120)
class ExpiredTokenUpstreamTest {

    private static final int OBJECTS = 300;

    private final RealApiServer server;
    private String namespace = "";
    private final AtomicInteger changes = new AtomicInteger();

    ExpiredTokenUpstreamTest(ApiServer server) {
        assumeThat(server)
                .as("a server whose etcd can be reached")
                .isInstanceOf(RealApiServer.class);
        this.server = (RealApiServer) server;
    }

    @BeforeEach
    void create(TestNamespace mine) {
        namespace = mine.name();
        for (int i = 0; i < OBJECTS; i++) {
            server.create(configMap(namespace, "n" + i));
        }
    }

    @ParameterizedTest
    @EnumSource
    void mirror_syncs_although_the_continue_token_expires(Strategy strategy) {
        try (ReflectorFixture fixture = mirroring(strategy)) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            change();

            follower.readUntil(fixture.truth());
            assertThat(fixture.held()).hasSize(OBJECTS);
            assertThat(fixture.waits()).isEmpty();
        }
    }

    /** Otherwise this class would show nothing. */
    @Test
    void continue_token_expires_once() {
        try (ReflectorFixture fixture = mirroring(Strategy.LIST_WATCH)) {
            assertThat(fixture.count(Counter.LISTS_EXPIRED)).isEqualTo(1);
            assertThat(fixture.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
        }
    }

    private ReflectorFixture mirroring(Strategy strategy) {
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                        .only(ReflectorFixture.namespace(namespace))
                        .by(strategy)
                        .inPagesOf(20)
                        .through(this::slowly);
        return ReflectorFixture.of(server, plan).synced();
    }

    private Source slowly(Source api) {
        return new UpstreamInterceptor(api, this::outlive, watch -> watch);
    }

    /** Lets the continue token of the first page expire. */
    private void outlive(ListRequest request) {
        if (request.continueToken() != null && changes.get() == 0) {
            change();
            server.compact();
        }
    }

    private void change() {
        String number = Integer.toString(changes.incrementAndGet());
        server.replace(configMap(namespace, "n7").data("change", number));
    }
}
