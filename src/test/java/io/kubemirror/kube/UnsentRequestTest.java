package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.PassThroughClient.CredentialOwner;
import io.kubemirror.kube.PassThroughClient.PassedRequest;
import io.kubemirror.source.Failure.Unreachable;
import io.kubemirror.source.Failure.Unreachable.Kind;
import io.kubemirror.testing.LoopbackServer;
import io.kubemirror.testing.Results;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A write that fails before any of it was sent has certainly not been done. */
@Timeout(60)
class UnsentRequestTest {

    private static final PassedRequest WRITE =
            new PassedRequest(
                    CredentialOwner.CLIENT,
                    "POST",
                    "/api/v1/namespaces/a/configmaps",
                    Map.of(),
                    null,
                    null,
                    Duration.ofMinutes(1));

    /** With TLS, the server ends the connection, or the client leaves, before it is established. */
    @ParameterizedTest
    @CsvSource({
        "https, false, REFUSED",
        "https, true, REFUSED",
        "http, false, BROKEN",
        "http, true, BROKEN"
    })
    void write_may_have_been_done_if_it_was_sent(String scheme, boolean clientLeaves, Kind kind)
            throws Exception {
        CompletableFuture<Thread> writer = new CompletableFuture<>();
        try (LoopbackServer server =
                new LoopbackServer(
                        socket -> {
                            socket.getInputStream().read();
                            if (clientLeaves) {
                                writer.join().interrupt();
                                socket.getInputStream().readAllBytes();
                            }
                        })) {
            KubeClient client = UpstreamSamples.client(scheme + "://127.0.0.1:" + server.port());
            FutureTask<Kind> write =
                    new FutureTask<>(
                            () -> ((Unreachable) Results.failure(client.pass(WRITE))).kind());
            writer.complete(Thread.ofVirtual().start(write));

            assertThat(write.get()).isEqualTo(kind);
        }
    }
}
