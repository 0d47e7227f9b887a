package io.kubemirror.processes;

import static io.kubemirror.testing.containers.ContainerServer.text;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.testing.KubemirrorProcess;
import io.kubemirror.testing.containers.ContainerServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Bodies that are larger than the heap pass through. */
class PassThroughUploadTest {

    /** More than twice the heap of the process. */
    private static final long SIZE = 300_000_000;

    private static final byte[] PART = new byte[1_000_000];

    @Test
    void bodies_larger_than_the_heap_pass_through_in_both_directions() throws Exception {
        try (ContainerServer server = ContainerServer.alone();
                KubemirrorProcess kubemirror =
                        KubemirrorProcess.start(
                                "kubemirror.upstream.server=" + server.url(),
                                "kubemirror.resources[0].resource=configmaps",
                                "kubemirror.pass-through.mode=own")) {
            server.on(
                    "/large",
                    (head, in, out) -> {
                        long size = Long.parseLong(head.header("content-length"));
                        in.skipNBytes(size);
                        out.write(
                                text(
                                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: "
                                                + size
                                                + "\r\n\r\n"));
                        for (long sent = 0; sent < size; sent += PART.length) {
                            out.write(PART);
                        }
                    });
            Awaitility.await()
                    .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                    .until(() -> kubemirror.client().get("/livez").code() == 200);
            try (RawClient client = RawClient.to(kubemirror.url().getPort())) {
                client.send(
                        "POST /large HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                                + SIZE
                                + "\r\n\r\n");
                for (long sent = 0; sent < SIZE; sent += PART.length) {
                    client.send(PART);
                }
                assertThat(client.head().getFirst()).isEqualTo("HTTP/1.1 200 OK");
                for (long read = 0; read < SIZE; read += PART.length) {
                    client.bytes(PART.length);
                }
            }
        }
    }
}
