package io.kubemirror;

import static io.kubemirror.testground.Manifests.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testground.KubemirrorProcess;
import io.kubemirror.testground.RawClients;
import io.kubemirror.testground.ScriptedApiServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;

/** Whatever clients send or leave unread, a process with a small heap goes on serving others. */
@Timeout(300)
class ClientMemoryTest {

    private static final Duration ATTACK = Duration.ofSeconds(8);

    private final ScriptedApiServer server = ScriptedApiServer.create();
    private KubemirrorProcess kubemirror = null;

    @AfterEach
    void stop() {
        kubemirror.close();
        server.close();
    }

    private KubemirrorProcess start(String heap) {
        server.create(pod("a", "one"));
        kubemirror =
                KubemirrorProcess.withHeap(
                        heap,
                        "kubemirror.upstream.server=" + server.url(),
                        "kubemirror.resources[0].resource=pods");
        return kubemirror.awaitReady();
    }

    @Test
    void unfinished_request_heads_leave_the_process_alive() {
        start("128m");
        unfinished(kubemirror.url().getPort(), 300);
    }

    @Test
    void unfinished_request_heads_on_the_management_port_leave_the_process_alive() {
        start("128m");
        unfinished(kubemirror.managementUrl().getPort(), 300);
    }

    private void unfinished(int port, int count) {
        try (RawClients clients = RawClients.connect(port, count)) {
            clients.send("GET /api/v1/pods?x=", ATTACK);
            clients.send(new byte[1000].length == 0 ? "" : "a".repeat(900_000), ATTACK);
            System.out.println("open " + clients.open() + " running " + kubemirror.isRunning());
            assertServing();
        }
    }

    private void assertServing() {
        assertThat(kubemirror.isRunning()).isTrue();
        assertThat(kubemirror.management().get("/actuator/health/liveness").code()).isEqualTo(200);
        assertThat(kubemirror.client().get("/api/v1/pods").code()).isEqualTo(200);
    }
}
