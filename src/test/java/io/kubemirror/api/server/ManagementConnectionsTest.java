package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.RawClient;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.ManagementFilterConfiguration.ManagementFilter;
import io.kubemirror.testing.WaitLimit;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tests which connections to the management port are closed, over real connections. */
@Timeout(25) // below Jetty's idle timeout, which would close everything too
class ManagementConnectionsTest {

    private static final int LIMIT = 2;
    private static final String OK = "HTTP/1.1 200 OK";

    private final Semaphore begun = new Semaphore(0);
    private final CountDownLatch released = new CountDownLatch(1);
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);

    @BeforeEach
    void start() throws Exception {
        ManagementFilter filter =
                new ManagementFilter(
                        Set.of("/health"),
                        "/health",
                        "/",
                        Hosts::loopback,
                        new AuthenticationFilter(() -> AccessControl.OPEN, Runnable::run));
        ServletContextHandler context = new ServletContextHandler();
        context.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(new ServletHolder(new Probe()), "/*");
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(context);
        ManagementFilterConfiguration.limit(
                server,
                () -> new ConnectionProperties(1, 1, LIMIT, Duration.ofHours(1)),
                new ConnectionMeters());
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        released.countDown();
        server.stop();
    }

    /** Answers, but for a slow check only after it has been released. */
    private final class Probe extends HttpServlet {

        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            if (request.getRequestURI().equals("/health/slow")) {
                begun.release();
                awaitUninterruptibly(released);
            }
        }
    }

    @Test
    void idle_connection_makes_room_when_the_limit_is_reached() {
        try (RawClient first = connect()) {
            assertAnswered(first);
            try (RawClient second = connect()) {
                assertThat(first.untilClosed()).isEmpty();
                assertAnswered(second);
                try (RawClient newest = connect()) {
                    assertAnswered(newest);
                }
            }
        }
    }

    /** Otherwise pipelining clients would occupy all carriers. */
    @Test
    void pipelining_clients_give_way_to_other_requests() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                for (long request = 1; !over.get(); request++) {
                                    ApiFilter.giveWay(request);
                                }
                            });
        }
        try {
            Thread other = Thread.ofVirtual().start(() -> {});
            assertThat(other.join(WaitLimit.GENEROUS)).isTrue();
        } finally {
            over.set(true);
        }
    }

    @Test
    void pipelined_requests_are_answered_in_order() {
        String request = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
        try (RawClient client = connect().send(request.repeat(100))) {
            for (int i = 0; i < 100; i++) {
                assertThat(client.line()).isEqualTo(OK);
                skipHeaders(client);
            }
        }
    }

    private RawClient connect() {
        return RawClient.to(connector.getLocalPort());
    }

    private static void assertAnswered(RawClient client) {
        assertThat(client.ask("/health").line()).isEqualTo(OK);
        skipHeaders(client);
    }

    private static void skipHeaders(RawClient client) {
        while (!client.line().isEmpty()) {
            // The headers.
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }
}
