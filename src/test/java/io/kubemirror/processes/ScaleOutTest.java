package io.kubemirror.processes;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.JsonTrees;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.RemoteFoldingWatcher;
import io.kubemirror.testing.scripted.ScriptedApiServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Tests a chain of processes of kubemirror; HistoryTest has several beside each other. */
@Timeout(1_200)
class ScaleOutTest {

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private final List<KubemirrorProcess> processes = new ArrayList<>();

    @AfterEach
    void stop() {
        processes.forEach(KubemirrorProcess::close);
        server.close();
    }

    @Test
    void cascade_stays_consistent_when_its_middle_dies_or_upstream_compacts() {
        createObjects();
        KubemirrorProcess cluster = start(server);
        KubemirrorProcess node = start(cluster);
        KubemirrorProcess sidecar = start(node).awaitReady();
        RemoteFoldingWatcher client = new RemoteFoldingWatcher(sidecar.client(), PODS);
        change("quiet");
        client.readUntil(truth());

        node.kill();
        change("middle-dead");
        node.startAgain();
        client.readUntil(truth());

        server.stop();
        server.start();
        change("server-back");
        server.restart();
        client.readUntil(truth());

        server.compact();
        node.kill();
        server.restart();
        change("all-at-once");
        node.startAgain();
        client.readUntil(truth());

        assertThat(sidecar.client().get(PODS.collectionPath()).json().path("items"))
                .isEqualTo(server.list(PODS).path("items"));
        assertThat(sidecar.management().get("/actuator/prometheus").body())
                .containsPattern("kubemirror_resyncs_total\\{.*outcome=\"broken\".*} 0\\.0");
        assertThat(server.watches(PODS)).as("watches of the API server").hasSize(1);
        client.close();
    }

    private KubemirrorProcess start(ScriptedApiServer upstream) {
        return started(KubemirrorProcess.ofPods(upstream.url()));
    }

    private KubemirrorProcess start(KubemirrorProcess upstream) {
        return started(KubemirrorProcess.ofPods(upstream.url()));
    }

    private KubemirrorProcess started(KubemirrorProcess process) {
        processes.add(process);
        return process;
    }

    private void createObjects() {
        for (String name : List.of("deleted", "changed", "kept")) {
            server.create(pod("a", name));
        }
    }

    /** One of each kind of change. */
    private void change(String name) {
        server.create(pod("a", name));
        server.label(PODS, "a", "changed", "at", name);
        server.delete(PODS, "a", "deleted");
        server.create(pod("a", "deleted").label("since", name));
    }

    private Map<String, String> truth() {
        Map<String, String> truth = new TreeMap<>();
        server.list(PODS)
                .path("items")
                .forEach(
                        item ->
                                truth.put(
                                        JsonTrees.key(item),
                                        Long.toString(JsonTrees.revision(item))));
        return truth;
    }
}
