package io.kubemirror.processes;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;

import org.junit.jupiter.api.Test;

/** Tests a chain of processes of kubemirror; HistoryTest has several beside each other. */
class ScaleOutTest extends ProcessHarness {

    @Test
    void cascade_stays_consistent_when_its_middle_dies_or_upstream_compacts() {
        for (String name : List.of("deleted", "changed", "kept")) {
            server.create(pod("a", name));
        }
        KubemirrorProcess cluster = start(server.url());
        KubemirrorProcess node = start(cluster.url());
        KubemirrorProcess sidecar = start(node.url()).awaitReady();
        ReflectorFixture fixture = following(sidecar);
        FoldingWatcher client = new FoldingWatcher(fixture.mirror());
        change("quiet");
        client.readUntil(fixture.truth());

        node.kill();
        change("middle-dead");
        node.startAgain();
        client.readUntil(fixture.truth());

        server.stop();
        server.start();
        change("server-back");
        server.restart();
        client.readUntil(fixture.truth());

        server.compact();
        node.kill();
        server.restart();
        change("all-at-once");
        node.startAgain();
        client.readUntil(fixture.truth());

        assertThat(sidecar.client().get(PODS.collectionPath()).json().path("items"))
                .isEqualTo(server.list(PODS).path("items"));
        assertThat(sidecar.management().get("/actuator/prometheus").body())
                .containsPattern("kubemirror_resyncs_total\\{.*outcome=\"broken\".*} 0\\.0");
        assertThat(server.watches(PODS)).as("watches of the API server").hasSize(1);
        fixture.stop();
        assertThat(fixture.count(Counter.LISTS_COMPLETED)).isOne();
    }

    /** A client that would list again only if it was told to. */
    private ReflectorFixture following(KubemirrorProcess sidecar) {
        return ReflectorFixture.of(
                        server,
                        ReflectorFixturePlan.of(PODS)
                                .by(Strategy.LIST_WATCH)
                                .through(_ -> ApiServer.client(sidecar.url()))
                                .patiently())
                .synced();
    }

    private KubemirrorProcess start(URI upstream) {
        return started(KubemirrorProcess.ofPods(upstream));
    }

    /** One of each kind of change. */
    private void change(String name) {
        server.create(pod("a", name));
        server.label(PODS, "a", "changed", "at", name);
        server.delete(PODS, "a", "deleted");
        server.create(pod("a", "deleted").label("since", name));
    }
}
