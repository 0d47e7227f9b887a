package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.RawClient;
import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.ManagementFilterConfiguration.ManagementFilter;
import io.kubemirror.api.server.OriginGuard.Hosts;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.WaitLimit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tests which connections to the management port are closed, over real connections. */
@Timeout(25) // below Jetty's idle timeout, which would close everything too
class ManagementConnectionsTest {

    private static final int LIMIT = 2;
    private static final String OK = "HTTP/1.1 200 OK";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Semaphore begun = new Semaphore(0);
    private final CountDownLatch released = new CountDownLatch(1);
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);

    @BeforeEach
    void start() throws Exception {
        ConnectionMeters meters = new ConnectionMeters();
        meters.bindTo(registry);
        ManagementConnections connections =
                new ManagementConnections(
                        true,
                        () -> new ConnectionProperties(1, 1, LIMIT, Duration.ofHours(1)),
                        ClientMemory.of(MemoryBudget.unlimited()),
                        meters,
                        System::nanoTime);
        ManagementFilter filter =
                new ManagementFilter(
                        Set.of("/health"),
                        "/health",
                        "/",
                        Hosts::loopback,
                        new AuthenticationFilter(() -> AccessControl.OPEN, Runnable::run),
                        connections);
        ServletContextHandler context = new ServletContextHandler();
        context.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(new ServletHolder(new Probe()), "/*");
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(context);
        connections.keep(server);
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
    void connections_within_the_limit_stay_open() {
        List<RawClient> clients = open(LIMIT);
        clients.forEach(ManagementConnectionsTest::assertAnswered);
        assertThat(replaced()).isZero();
        clients.forEach(RawClient::close);
    }

    @Test
    void connection_beyond_the_limit_replaces_the_oldest_idle_one() {
        List<RawClient> clients = open(LIMIT);
        clients.forEach(ManagementConnectionsTest::assertAnswered);
        awaitIdle();
        try (RawClient newest = connect()) {
            assertThat(clients.getFirst().untilClosed()).isEmpty();
            assertAnswered(newest);
            assertAnswered(clients.getLast());
            assertThat(replaced()).isEqualTo(1);
        }
        clients.forEach(RawClient::close);
    }

    @Test
    void connection_that_has_asked_nothing_is_replaced_as_well() {
        List<RawClient> silent = open(LIMIT);
        List<RawClient> newer = open(LIMIT);
        silent.forEach(client -> assertThat(client.untilClosed()).isEmpty());
        newer.forEach(ManagementConnectionsTest::assertAnswered);
        assertThat(replaced()).isEqualTo(LIMIT);
        newer.forEach(RawClient::close);
    }

    @Test
    void request_in_progress_keeps_its_connection_and_a_newer_idle_one_is_closed() {
        try (RawClient probe = connect().ask("/health/slow")) {
            begun.acquireUninterruptibly();
            try (RawClient idle = connect();
                    RawClient newest = connect()) {
                assertThat(idle.untilClosed()).isEmpty();
                assertAnswered(newest);
                released.countDown();
                assertThat(probe.line()).isEqualTo(OK);
            }
        }
    }

    @Test
    void oldest_connection_is_closed_if_all_have_requests_in_progress() {
        try (RawClient oldest = connect().ask("/health/slow");
                RawClient newer = awaitBegun(oldest);
                RawClient newest = awaitBegun(newer)) {
            assertThat(oldest.untilClosed()).isEmpty();
            released.countDown();
            assertThat(newer.line()).isEqualTo(OK);
            assertThat(newest.line()).isEqualTo(OK);
            assertThat(replaced()).isEqualTo(1);
        }
    }

    @Test
    void closed_connection_makes_room() {
        for (int i = 0; i < 3 * LIMIT; i++) {
            try (RawClient client = connect()) {
                assertAnswered(client);
            }
            awaitConnections(0);
        }
        assertThat(replaced()).isZero();
    }

    @Test
    void head_of_more_than_16_kilobytes_is_refused_with_431() {
        String head = "GET /health HTTP/1.1\r\nHost: localhost\r\nx: ";
        try (RawClient client = connect().send(head + "x".repeat(ManagementConnections.HEAD))) {
            assertThat(client.untilClosed()).startsWith("HTTP/1.1 431 ");
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

    /** Opens another connection once the request of the previous one is in progress. */
    private RawClient awaitBegun(RawClient previous) {
        assertThat(previous).isNotNull();
        begun.acquireUninterruptibly();
        return connect().ask("/health/slow");
    }

    /** Connections that have been accepted in this order. */
    private List<RawClient> open(int count) {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(connect());
        }
        return clients;
    }

    private RawClient connect() {
        return RawClient.to(connector.getLocalPort());
    }

    private void awaitConnections(int count) {
        WaitLimit.until(() -> connector.getConnectedEndPoints().size() == count);
    }

    /** A client can read its response before the server has ended the request. */
    private void awaitIdle() {
        WaitLimit.until(
                () ->
                        connector.getConnectedEndPoints().stream()
                                .allMatch(EndPoint::isFillInterested));
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

    private double replaced() {
        return registry.get("kubemirror.connections.refused")
                .tag("reason", "management")
                .functionCounter()
                .count();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }
}
