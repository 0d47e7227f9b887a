package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.RawClient;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionMeters;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.WaitLimit;

import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests requests that arrived at a server whose threads are not scheduled, over real connections.
 */
@Timeout(25) // below Jetty's idle timeout, which would close everything too
class ConnectionTrackerTest {

    private static final String REQUEST =
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger looks = new AtomicInteger();
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);

    @BeforeEach
    void start() throws Exception {
        ConnectionProperties limits = new ConnectionProperties(0, 0, 100, Duration.ofMillis(20));
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Answering());
        ClientMemory memory = ClientMemory.of(MemoryBudget.unlimited());
        new ConnectionLimiter(limits, memory, new ConnectionMeters(), this::look).keep(server);
        server.start();
    }

    private long look() {
        looks.incrementAndGet();
        return now.get();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private static final class Answering extends Handler.Abstract {

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            callback.succeeded();
            return true;
        }
    }

    @Test
    void arrived_request_is_served_however_late_the_server_reads_it() throws Exception {
        try (RawClient rawClient = RawClient.to(connector.getLocalPort())) {
            EndPoint client = awaitClient();
            CountDownLatch blocked = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            block(blocked, released);
            blocked.await();
            rawClient.send(REQUEST);
            awaitArrival(client, REQUEST.length());
            for (int i = 0; i < 10; i++) {
                now.addAndGet(Duration.ofHours(1).toNanos());
                awaitLook();
            }
            released.countDown();

            assertThat(rawClient.line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void connection_with_an_incomplete_request_is_closed() {
        try (RawClient rawClient = RawClient.to(connector.getLocalPort()).send("GET / HT")) {
            awaitClient();
            awaitLook();
            awaitLook();
            now.addAndGet(Duration.ofHours(1).toNanos());

            assertThat(rawClient.untilClosed()).isEmpty();
        }
    }

    /** Nothing is read from the network meanwhile. */
    private void block(CountDownLatch blocked, CountDownLatch released) {
        connector
                .getSelectorManager()
                .getBean(ManagedSelector.class)
                .submit(
                        _ -> {
                            blocked.countDown();
                            awaitUninterruptibly(released);
                        });
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private EndPoint awaitClient() {
        WaitLimit.until(
                () ->
                        connector.getConnectedEndPoints().stream()
                                .anyMatch(EndPoint::isFillInterested));
        return connector.getConnectedEndPoints().iterator().next();
    }

    private static void awaitArrival(EndPoint client, int bytes) throws IOException {
        SocketChannel channel = (SocketChannel) client.getTransport();
        WaitLimit.until(() -> channel.socket().getInputStream().available() >= bytes);
    }

    /** Waits until the connection is looked at once more, from beginning to end, or closed. */
    private void awaitLook() {
        int before = looks.get();
        WaitLimit.until(
                () -> looks.get() >= before + 2 || connector.getConnectedEndPoints().isEmpty());
    }
}
