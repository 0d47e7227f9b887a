package io.kubemirror.api.server;

import static io.kubemirror.api.server.FrameClient.END_HEADERS;
import static io.kubemirror.api.server.FrameClient.END_STREAM;
import static io.kubemirror.api.server.FrameClient.HEADERS;
import static io.kubemirror.api.server.FrameClient.PING;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.ScriptedAccess;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.WaitLimit;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Streams that their clients cancel leave no charge and no line in the log. */
@ExtendWith(OutputCaptureExtension.class)
class AbortedStreamTest {

    private static final String LIST = "/api/v1/pods";
    private static final String WATCH = LIST + "?watch=1&resourceVersion=110";
    private static final int WIDE = 1 << 20;

    /** Fewer than a connection may reset in a second. */
    private static final int STREAMS = 40;

    private static final int CONNECTIONS = 5;

    private final MemoryBudget process = MemoryBudget.of(256L << 20);
    private final ClientMemory memory = ClientMemory.of(process);
    private final Semaphore arrived = new Semaphore(0);
    private final Semaphore canceled = new Semaphore(0);

    /** Begins and cancels one stream. */
    @FunctionalInterface
    private interface Abort {

        void run(FrameClient client, int stream);
    }

    private ApiFixture serving() {
        ApiFixture served = Http2Test.serving(Map.of("few", memory));
        for (int i = 0; i < 10; i++) {
            served.writer()
                    .upsert(ApiSamples.object("a", "x" + i, 111 + i, "y".repeat(100 * 1024)));
        }
        return served;
    }

    private void abort(int window, CapturedOutput output, Abort abort) {
        try (ApiFixture served = serving()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (FrameClient client = FrameClient.to(served.port(), window)) {
                    for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
                        abort.run(client, stream);
                    }
                }
            }
            awaitNothing(served);
        }
        assertThat(output.getAll()).doesNotContain("WARN", "ERROR");
    }

    private void awaitNothing(ApiFixture served) {
        WaitLimit.until(() -> served.gauge("kubemirror.connections.open") == 0);
        WaitLimit.until(() -> served.watcherInfos().isEmpty() && served.openWatches() == 0);
        WaitLimit.until(() -> process.used() == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {LIST, WATCH, "/kubemirror/v1/watch?resource=pods"})
    void canceled_at_once(String path, CapturedOutput output) {
        abort(WIDE, output, (client, stream) -> client.get(stream, path).cancel(stream));
    }

    @ParameterizedTest
    @ValueSource(strings = {LIST, WATCH, "/kubemirror/v1/watch?resource=pods"})
    void canceled_while_the_response_waits_for_its_client(String path, CapturedOutput output) {
        abort(
                10,
                output,
                (client, stream) -> {
                    assertThat(client.get(stream, path).status(stream)).isEqualTo(200);
                    client.cancel(stream);
                });
    }

    /** Each has another token, so that no answer is shared. */
    @ParameterizedTest
    @ValueSource(strings = {LIST, WATCH, "/version", "/kubemirror/v1/watch?resource=pods"})
    void canceled_while_its_credentials_are_reviewed(String path, CapturedOutput output) {
        ScriptedAccess access = new ScriptedAccess();
        for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
            access.know("t-" + stream);
        }
        // The decisions again of watches would wait, too.
        access.recheckAfter(Duration.ofHours(1));
        access.before(this::awaitCancellation);
        abortWhileWaiting(path, Map.of("few", memory, "access", access), output);
    }

    private void awaitCancellation() {
        arrived.release();
        canceled.acquireUninterruptibly();
    }

    private void abortWhileWaiting(String path, Map<String, Object> beans, CapturedOutput output) {
        try (ApiFixture served = Http2Test.serving(beans)) {
            try (FrameClient client = FrameClient.to(served.port(), WIDE)) {
                for (int stream = 1; stream < 2 * STREAMS; stream += 2) {
                    client.send(
                            HEADERS,
                            END_HEADERS | END_STREAM,
                            stream,
                            FrameClient.head(path, "t-" + stream));
                    arrived.acquireUninterruptibly();
                    client.cancel(stream).send(PING, 0, 0, new byte[8]);
                    while (client.next(0).type() != PING) {
                        // The response to the ping says that the server has read the cancellation.
                    }
                    canceled.release();
                }
            }
            awaitNothing(served);
        }
        assertThat(output.getAll()).doesNotContain("WARN", "ERROR");
    }
}
