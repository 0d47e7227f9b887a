package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.kube.KubeClient;
import io.kubemirror.kube.UpstreamSettings;
import io.kubemirror.kube.UpstreamSettings.ProcessEnvironment;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.testing.ClientLimits;
import io.kubemirror.testing.LoopbackServer;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
            if (name().endsWith("AFTER_THE_HEADERS")) {
                socket.getOutputStream().write(HEAD.getBytes(StandardCharsets.US_ASCII));
            }
            if (name().startsWith("RESET")) {
                socket.setSoLinger(true, 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(End.class)
    void watch_reopens_at_its_revision_after_any_kind_of_broken_connection(End end) {
        synced(120);
        LoopbackServer server = new LoopbackServer(end::applyTo);
        if (end == End.REFUSED) {
            server.close();
        }
        try (server) {
            StateMachine real = stateMachine(client(end.scheme, server));

            ReflectorState state = step(real, opening);
            while (state instanceof Watching) {
                state = step(real, state);
            }

            assertThat(afterBackoff(state)).isEqualTo(opening);
            assertThat(counts.get(Counter.WATCHES_FAILED)).isOne();
        }
    }

    @Test
    void server_that_closes_each_connection_does_not_accept_connections() {
        AtomicBoolean closing = new AtomicBoolean();
        LoopbackServer server =
                new LoopbackServer(
                        socket -> {
                            while (!closing.get() && socket.getInputStream().read() >= 0) {
                                // The connection is held until the client closes it.
                            }
                        });
        KubeClient client = client("http", server);
        assertThat(client.acceptsConnections()).as("listening").isTrue();

        closing.set(true);
        // A slow machine may close a connection only after it was believed to stay open.
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !client.acceptsConnections());

        server.close();
        assertThat(client.acceptsConnections()).as("closed").isFalse();
    }

    @Test
    void server_with_an_unresolvable_name_does_not_accept_connections() {
        assertThat(client("http://nobody.invalid:1").acceptsConnections()).isFalse();
    }

    private StateMachine stateMachine(KubeClient client) {
        return new StateMachine(
                client, writer, settings(Strategy.AUTO), reflectorEnvironment(), counts);
    }

    private static KubeClient client(String scheme, LoopbackServer server) {
        return client(scheme + "://127.0.0.1:" + server.port());
    }

    private static KubeClient client(String url) {
        return new KubeClient(
                new UpstreamSettings(url, null, null),
                new ProcessEnvironment(Map.of(), Path.of("/"), Path.of("/")),
                ClientLimits.usual("test"));
    }
}
