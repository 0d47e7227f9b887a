package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.kube.ClientSettings;
import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.Watching;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A connection that breaks while a watch is being opened does not mean that the revision has
 * expired.
 */
class BrokenConnectionTest extends StateMachineHarness {

    private static final String HEAD =
            """
            HTTP/1.1 200 OK\r
            Content-Type: application/json\r
            Transfer-Encoding: chunked\r
            \r
            """;

    private final ServerSocket server = listening();

    /** How a server that stops ends a connection. */
    enum End {
        REFUSED("http"),
        RESET_BEFORE_THE_ANSWER("http"),
        CLOSED_BEFORE_THE_ANSWER("http"),
        RESET_AFTER_THE_HEADERS("http"),
        CLOSED_AFTER_THE_HEADERS("http"),
        RESET_IN_THE_HANDSHAKE("https"),
        CLOSED_IN_THE_HANDSHAKE("https");

        private final String scheme;

        End(String scheme) {
            this.scheme = scheme;
        }

        void applyTo(Socket socket) throws IOException {
            InputStream request = socket.getInputStream();
            assertThat(request.read(new byte[8_192])).isPositive();
            switch (this) {
                case RESET_AFTER_THE_HEADERS, CLOSED_AFTER_THE_HEADERS ->
                        socket.getOutputStream().write(HEAD.getBytes(StandardCharsets.US_ASCII));
                case REFUSED,
                        RESET_BEFORE_THE_ANSWER,
                        CLOSED_BEFORE_THE_ANSWER,
                        RESET_IN_THE_HANDSHAKE,
                        CLOSED_IN_THE_HANDSHAKE -> {}
            }
            if (name().startsWith("RESET")) {
                socket.setSoLinger(true, 0);
            }
            socket.close();
        }
    }

    private static ServerSocket listening() {
        try {
            return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void watch_reopens_at_its_revision_after_any_kind_of_broken_connection(End end)
            throws IOException {
        synced(120);
        StateMachine real = stateMachine(client(end.scheme));
        serve(end);

        ReflectorState state = step(real, opening);
        while (state instanceof Watching) {
            state = step(real, state);
        }

        assertThat(afterBackoff(state)).isEqualTo(opening);
        assertThat(counts.get(Counter.WATCHES_FAILED)).isOne();
    }

    private void serve(End end) throws IOException {
        if (end == End.REFUSED) {
            server.close();
            return;
        }
        var _ =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    while (!server.isClosed()) {
                                        applyTo(end);
                                    }
                                });
    }

    /** The client may try a second time by itself. */
    private void applyTo(End end) {
        try (Socket socket = server.accept()) {
            end.applyTo(socket);
        } catch (IOException _) {
            // The client has gone first, or the test is over.
        }
    }

    @Test
    void server_that_closes_each_connection_does_not_accept_connections() throws Exception {
        KubeClient client = client("http");
        assertThat(client.acceptsConnections()).as("listening").isTrue();

        Thread closing =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    while (!server.isClosed()) {
                                        closeNext();
                                    }
                                });
        // A slow machine may close a connection only after it was believed to stay open.
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !client.acceptsConnections());

        server.close();
        closing.join();
        assertThat(client.acceptsConnections()).as("closed").isFalse();
    }

    private void closeNext() {
        try {
            server.accept().close();
        } catch (IOException _) {
            // The test is over.
        }
    }

    @Test
    void server_with_an_unresolvable_name_does_not_accept_connections() {
        assertThat(client("http://nobody.invalid:1", "").acceptsConnections()).isFalse();
    }

    private StateMachine stateMachine(KubeClient client) {
        return new StateMachine(
                client, writer, settings(Strategy.AUTO), reflectorEnvironment(), counts);
    }

    private KubeClient client(String scheme) {
        return client(scheme + "://127.0.0.1:", Integer.toString(server.getLocalPort()));
    }

    private static KubeClient client(String address, String port) {
        return KubeClient.connect(
                new UpstreamSettings(address + port, null, null),
                new ProcessEnvironment(Map.of(), Path.of("/"), Path.of("/")),
                ClientSettings.defaults("test"));
    }
}
