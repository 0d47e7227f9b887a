package io.kubemirror;

import static io.kubemirror.testground.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.Environment;
import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.Assets;
import io.kubemirror.testground.Detour;
import io.kubemirror.testground.Follower;
import io.kubemirror.testground.LoadBalancer;
import io.kubemirror.testground.RealApiServer;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.ReflectionPlan;
import io.kubemirror.testground.Types;

import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** API servers behind a load balancer are restarted one after the other, as in an upgrade. */
class RollingRestartTest {

    private static final int ROUNDS = 3;
    private static final String NAMESPACE = "rolling";

    private final AtomicInteger lists = new AtomicInteger();

    static boolean hasApiServer() {
        return Assets.find().isPresent();
    }

    /**
     * Each server remembers what happened since it started, so something has to happen before the
     * next is stopped; in a quiet collection that would be the server's bookmark.
     */
    @ParameterizedTest
    @EnumSource(
            value = Strategy.class,
            names = {"AUTO", "LIST_WATCH"})
    @EnabledIf("hasApiServer")
    void a_rolling_restart_costs_no_list(Strategy strategy) {
        Assets assets = Assets.find().orElseThrow();
        try (RealApiServer one = RealApiServer.start(assets, List.of());
                RealApiServer other = one.startPeer(assets);
                LoadBalancer balancer = LoadBalancer.before(one.url(), other.url())) {
            one.ensureNamespace(NAMESPACE);
            one.create(configMap(NAMESPACE, "first"));
            ReflectionPlan plan =
                    ReflectionPlan.of(Types.CONFIGMAPS)
                            .by(strategy)
                            .only(Reflection.namespace(NAMESPACE))
                            .through(_ -> counting(balancer))
                            .patiently();
            try (Reflection reflection = Reflection.of(one, plan).synchronised()) {
                Follower follower = new Follower(reflection.mirror());
                int before = lists.get();
                for (int round = 0; round < ROUNDS; round++) {
                    restart(one, other, reflection);
                    restart(other, one, reflection);
                }
                follower.readUntil(reflection.truth());

                assertThat(follower.seen()).hasSize(4 * ROUNDS);
                assertThat(lists).hasValue(before);
                assertThat(reflection.count(Counter.WATCHES_EXPIRED)).isZero();
                assertThat(reflection.count(Counter.RESYNCS_BROKEN)).isZero();
            }
        }
    }

    /** Everything that asks for the present state, the question for one object included. */
    private KubeApi counting(LoadBalancer balancer) {
        KubeClient client =
                KubeClient.connect(
                        new UpstreamSettings(balancer.url().toString(), null, null),
                        Environment.ofProcess(),
                        ClientSettings.defaults("test"));
        return new Detour(
                client,
                _ -> lists.incrementAndGet(),
                request -> {
                    if (request.initialEvents()) {
                        lists.incrementAndGet();
                    }
                    return request;
                });
    }

    private static void restart(
            RealApiServer stopped, RealApiServer running, Reflection reflection) {
        stopped.stop();
        change(running, reflection);
        stopped.start();
        change(stopped, reflection);
    }

    /** Returns when the mirror has it, by whichever server it watches. */
    private static void change(RealApiServer server, Reflection reflection) {
        reflection.caughtUpWith(server.create(configMap(NAMESPACE, "change-" + server.revision())));
    }
}
