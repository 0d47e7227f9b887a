package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.clients.TcpRelay;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.source.Source;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.UpstreamInterceptor;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.ServerBinaries;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Restarts API servers behind a load balancer one after the other, as an upgrade does. */
class RollingRestartTest {

    private static final int ROUNDS = 3;
    private static final String NAMESPACE = "rolling";

    private final AtomicInteger lists = new AtomicInteger();

    static boolean hasApiServer() {
        return ServerBinaries.find().isPresent();
    }

    /**
     * Each server remembers what happened since it started, so something has to happen before the
     * next is stopped; in a quiet collection that would be the server's bookmark.
     */
    @Test
    @EnabledIf("hasApiServer")
    void rolling_restart_causes_no_list() {
        ServerBinaries serverBinaries = ServerBinaries.find().orElseThrow();
        try (RealApiServer one = RealApiServer.start(serverBinaries, List.of());
                RealApiServer other = one.startPeer(serverBinaries);
                TcpRelay relay = new TcpRelay()) {
            relay.lead(one.url().getPort());
            one.ensureNamespace(NAMESPACE);
            one.create(configMap(NAMESPACE, "first"));
            ReflectorFixturePlan plan =
                    ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                            .only(ReflectorFixture.namespace(NAMESPACE))
                            .through(_ -> counting(relay))
                            .patiently();
            try (ReflectorFixture fixture = ReflectorFixture.of(one, plan).synced()) {
                FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
                int before = lists.get();
                for (int round = 0; round < ROUNDS; round++) {
                    restart(one, other, relay, fixture);
                    restart(other, one, relay, fixture);
                }
                follower.readUntil(fixture.truth());

                assertThat(follower.seen()).hasSize(4 * ROUNDS);
                assertThat(lists).hasValue(before);
                assertThat(fixture.count(Counter.WATCHES_EXPIRED)).isZero();
                assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isZero();
            }
        }
    }

    /** Everything that asks for the present state, the question for one object included. */
    private Source counting(TcpRelay relay) {
        return new UpstreamInterceptor(
                ApiServer.client(relay.url()),
                _ -> lists.incrementAndGet(),
                request -> {
                    if (request.initialEvents()) {
                        lists.incrementAndGet();
                    }
                    return request;
                });
    }

    private static void restart(
            RealApiServer stopped,
            RealApiServer running,
            TcpRelay relay,
            ReflectorFixture fixture) {
        relay.lead(running.url().getPort());
        stopped.stop();
        change(running, fixture);
        stopped.start();
        change(stopped, fixture);
    }

    /** Returns when the mirror has it, by whichever server it watches. */
    private static void change(RealApiServer server, ReflectorFixture fixture) {
        fixture.caughtUpWith(server.create(configMap(NAMESPACE, "change-" + server.revision())));
    }
}
