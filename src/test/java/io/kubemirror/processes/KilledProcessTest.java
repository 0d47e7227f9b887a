package io.kubemirror.processes;

import static io.kubemirror.testing.Manifests.pod;
import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.WatchReader;
import io.kubemirror.testing.scripted.ReceivedRequest;
import io.kubemirror.testing.scripted.ReceivedRequest.RequestVerb;
import io.kubemirror.testing.scripted.ScriptedApiServer;
import io.kubemirror.testing.scripted.StoredEvent;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.node.ObjectNode;

/** Kills a real process that stores its mirror, at random points of a sequence of writes. */
@Timeout(900)
class KilledProcessTest {

    private static final int KILLS = Integer.getInteger("process.kills", 2);
    private static final int PODS_AT_FIRST = 20;

    @TempDir Path directory;

    private final Random random = new Random(17);

    @Test
    void killed_process_continues_without_a_list_and_its_clients_without_a_410() {
        try (ScriptedApiServer server = server();
                KubemirrorProcess kubemirror = stored(server)) {
            List<ReceivedRequest> listed = lists(server);
            long told = server.revision();
            for (int kill = 0; kill < KILLS; kill++) {
                write(server, 1 + random.nextInt(30));
                told = read(kubemirror, server, told, server.revision());
                write(server, random.nextInt(30));
                kubemirror.kill();
                write(server, 1 + random.nextInt(30));
                kubemirror.startAgain();
                kubemirror.awaitReady();
                told = read(kubemirror, server, told, server.revision());
            }
            assertThat(lists(server)).isEqualTo(listed);
        }
    }

    private static ScriptedApiServer server() {
        ScriptedApiServer server = ScriptedApiServer.create();
        for (int i = 0; i < PODS_AT_FIRST; i++) {
            server.create(pod("a", "pod-" + i));
        }
        return server;
    }

    private KubemirrorProcess stored(ScriptedApiServer server) {
        KubemirrorProcess process =
                KubemirrorProcess.ofPods(
                        server.url(), "kubemirror.persistence.directory=" + directory);
        process.awaitReady();
        awaitStored(process);
        return process;
    }

    /** Waits until the disk has everything. */
    private static void awaitStored(KubemirrorProcess process) {
        process.await(
                () ->
                        process.metric("kubemirror_persistence_size_bytes") > 0
                                && process.metric("kubemirror_persistence_age_seconds") < 1);
    }

    private void write(ScriptedApiServer server, int times) {
        for (int i = 0; i < times; i++) {
            server.patch(
                    PODS,
                    "a",
                    "pod-" + random.nextInt(PODS_AT_FIRST),
                    "{\"metadata\":{\"labels\":{\"n\":\"%d\"}}}".formatted(random.nextInt()));
        }
    }

    /** Watches from a revision to another, and expects exactly the events of the server. */
    private static long read(
            KubemirrorProcess kubemirror, ScriptedApiServer server, long after, long until) {
        List<Long> expected =
                server.history(PODS).stream()
                        .map(StoredEvent::revision)
                        .filter(revision -> revision > after && revision <= until)
                        .toList();
        List<Long> received = new ArrayList<>();
        try (WatchReader watch =
                kubemirror.client().watch("/api/v1/pods?watch=true&resourceVersion=" + after)) {
            assertThat(watch.code()).isEqualTo(200);
            for (ObjectNode event : watch.next(expected.size())) {
                received.add(
                        Long.parseLong(
                                event.at("/object/metadata/resourceVersion").asString("-1")));
            }
        }
        assertThat(received).isEqualTo(expected);
        return until;
    }

    /** All lists but those of one object, which show the newest revision. */
    private static List<ReceivedRequest> lists(ScriptedApiServer server) {
        return server.requests()
                .all(
                        request ->
                                request.isOf(PODS)
                                        && (request.verb() == RequestVerb.LIST
                                                || request.isTrue("sendInitialEvents"))
                                        && !request.parameter("limit").equals("1"));
    }
}
