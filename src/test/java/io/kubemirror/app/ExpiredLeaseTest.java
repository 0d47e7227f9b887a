package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.real.RealApiServer;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

/**
 * Tests deletions that share a revision: the API server attaches Events to leases of etcd, which
 * deletes all objects of a lease in one transaction when it expires.
 */
@WithApiServer(own = true)
class ExpiredLeaseTest {

    private static final int OBJECTS = 50;

    private final RealApiServer server;

    ExpiredLeaseTest(ApiServer server) {
        this.server = (RealApiServer) server;
        server.ensureNamespace("a");
        for (int i = 0; i < OBJECTS; i++) {
            server.create(configMap("a", "n" + i));
        }
    }

    @Test
    void watched_deletions_of_one_transaction_all_arrive() {
        try (ReflectorFixture fixture =
                ReflectorFixture.of(server, ServedTypes.CONFIGMAPS, Strategy.AUTO).synced()) {
            FoldingWatcher watcher = new FoldingWatcher(fixture.mirror());

            server.expire("configmaps", "a");

            fixture.awaitConsistency(fixture::truth);
            watcher.readUntil(fixture.truth());
            assertThat(fixture.count(Counter.EVENTS_DELETED)).isEqualTo(OBJECTS);
            assertThat(fixture.count(Counter.LISTS_COMPLETED)).isEqualTo(1);
        }
    }
}
