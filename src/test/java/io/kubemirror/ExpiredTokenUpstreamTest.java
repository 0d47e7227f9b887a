package io.kubemirror;

import static io.kubemirror.testground.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.KubeApi;
import io.kubemirror.kube.ListRequest;
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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.atomic.AtomicInteger;

/** The promises that a Kubernetes API server breaks whose memory is shorter than a list takes. */
@WithApiServer(
        own = true,
        flags = {
            "--etcd-compaction-interval=500ms",
            "--feature-gates=ListFromCacheSnapshot=false",
            "--watch-cache-sizes=configmaps#0"
        })
@Timeout(120)
class ExpiredTokenUpstreamTest {

    private static final int OBJECTS = 300;

    private final ApiServer server;
    private String namespace = "";
    private final AtomicInteger changes = new AtomicInteger();

    ExpiredTokenUpstreamTest(ApiServer server) {
        this.server = server;
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
    void a_list_whose_token_expires_ends_in_a_true_mirror(Strategy strategy) {
        try (Reflection reflection = mirroring(strategy)) {
            Follower follower = new Follower(reflection.mirror());
            change();

            follower.readUntil(reflection.truth());
            assertThat(reflection.held()).hasSize(OBJECTS);
            assertThat(reflection.waits()).isEmpty();
        }
    }

    /** Otherwise this class would show nothing. */
    @Test
    void the_token_really_expires() {
        try (Reflection reflection = mirroring(Strategy.LIST_WATCH)) {
            assertThat(reflection.count(Counter.LISTS_EXPIRED)).isEqualTo(1);
            assertThat(reflection.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
        }
    }

    private Reflection mirroring(Strategy strategy) {
        ReflectionPlan plan =
                ReflectionPlan.of(Types.CONFIGMAPS)
                        .only(Reflection.namespace(namespace))
                        .by(strategy)
                        .inPagesOf(20)
                        .through(this::slowly);
        Reflection reflection = Reflection.of(server, plan);
        while (reflection.mirror().snapshot().isEmpty()) {
            nudge();
        }
        return reflection;
    }

    /**
     * A list of several states is complete when its watch has passed the newest of them (PP-8). If
     * nothing happened, only a bookmark would tell, after a minute.
     */
    private void nudge() {
        if (changes.get() > 0) {
            server.replace(configMap(namespace, "n8").data("at", "" + System.nanoTime()));
        }
        Thread.onSpinWait();
    }

    private KubeApi slowly(KubeApi api) {
        return new Detour(api, this::outlive, watch -> watch);
    }

    /** Writes until the token of the first page is no longer honoured. */
    private void outlive(ListRequest request) {
        String token = request.continueToken();
        if (token != null && changes.get() == 0) {
            String target =
                    Types.CONFIGMAPS.collectionPath(namespace) + "?limit=1&continue=" + token;
            while (server.client().get(target).code() != 410) {
                change();
            }
        }
    }

    private void change() {
        String number = Integer.toString(changes.incrementAndGet());
        server.replace(configMap(namespace, "n7").data("change", number));
    }
}
