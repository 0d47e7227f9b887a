package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.RawClient;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionMeters;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.WaitLimit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how much memory request heads draw from the budget, over real connections. */
@Timeout(25) // below Jetty's idle timeout, which would close everything too
class BudgetedHttpFactoryTest {

    private static final String LINE = "GET / HTTP/1.1\r\nHost: localhost\r\n";
    private static final int LARGE = 6 * 1024;

    private final MemoryBudget process = MemoryBudget.ofProcess(1 << 20);
    private final MemoryBudget heads = process.part("heads", 64 * 1024);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);

    @BeforeEach
    void start() throws Exception {
        ConnectionMeters meters = new ConnectionMeters();
        meters.bindTo(registry);
        connector.setHost("127.0.0.1");
        connector
                .getConnectionFactory(HttpConnectionFactory.class)
                .getHttpConfiguration()
                .setRequestHeaderSize(1 << 20);
        server.addConnector(connector);
        server.setHandler(new EmptyResponses());
        BudgetedHttpFactory.install(connector, heads, meters);
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private static final class EmptyResponses extends Handler.Abstract {

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            callback.succeeded();
            return true;
        }
    }

    @Test
    void head_of_ordinary_size_draws_nothing() {
        try (RawClient client = connect().send(LINE + header("x", 1_000) + "\r\n")) {
            assertOk(client);
            assertThat(heads.used()).isZero();
        }
    }

    @Test
    void unfinished_large_head_draws_from_the_budget_until_its_connection_ends() {
        try (RawClient client = connect().send(LINE + "x: " + "x".repeat(LARGE))) {
            awaitUsed(LARGE);
            assertThat(client).isNotNull();
        }
        awaitReturned();
    }

    @Test
    void answered_large_head_keeps_its_memory_until_its_connection_ends() {
        try (RawClient client = connect().send(LINE + header("x", LARGE) + "\r\n")) {
            assertOk(client);
            long used = heads.used();
            assertThat(used).isGreaterThan(LARGE);

            client.send(LINE + header("x", LARGE) + "\r\n");
            assertOk(client);
            assertThat(heads.used()).isEqualTo(used);
        }
        awaitReturned();
    }

    @Test
    void many_small_fields_draw_from_the_budget() {
        try (RawClient client = connect().send(LINE + "a:b\r\n".repeat(100) + "\r\n")) {
            assertOk(client);
            assertThat(heads.used()).isGreaterThan(0);
        }
        awaitReturned();
    }

    @Test
    void head_beyond_the_budget_is_refused_with_429_and_its_connection_is_closed() {
        try (RawClient client = connect().send(LINE + "x: " + "x".repeat(64 * 1024))) {
            assertThat(client.untilClosed()).startsWith("HTTP/1.1 429 Too Many Requests\r\n");
            assertThat(refused()).isEqualTo(1);
        }
        awaitReturned();
    }

    @Test
    void fields_beyond_the_budget_are_refused_with_429() {
        try (RawClient client = connect().send(LINE + "a:b\r\n".repeat(1_000))) {
            assertThat(client.untilClosed()).startsWith("HTTP/1.1 429 ");
            assertThat(refused()).isEqualTo(1);
        }
        awaitReturned();
    }

    @Test
    void exhausted_budget_refuses_large_heads_and_reads_ordinary_ones() {
        heads.acquire(heads.limit());
        try (RawClient ordinary = connect().send(LINE + "\r\n");
                RawClient large = connect().send(LINE + header("x", LARGE) + "\r\n")) {
            assertOk(ordinary);
            assertThat(large.untilClosed()).startsWith("HTTP/1.1 429 ");
        }
        assertThat(heads.used()).isEqualTo(heads.limit());
    }

    @Test
    void memory_that_is_returned_serves_the_next_large_head() {
        heads.acquire(heads.limit());
        try (RawClient refused = connect().send(LINE + header("x", LARGE) + "\r\n")) {
            assertThat(refused.untilClosed()).startsWith("HTTP/1.1 429 ");
        }
        heads.release(heads.limit());
        try (RawClient served = connect().send(LINE + header("x", LARGE) + "\r\n")) {
            assertOk(served);
        }
    }

    private RawClient connect() {
        return RawClient.to(connector.getLocalPort());
    }

    private static String header(String name, int length) {
        return name + ": " + "x".repeat(length) + "\r\n";
    }

    /** Reads a response without a body. */
    private static void assertOk(RawClient client) {
        assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
        while (!client.line().isEmpty()) {
            // The headers.
        }
    }

    private void awaitUsed(long bytes) {
        WaitLimit.until(() -> heads.used() >= bytes);
    }

    private void awaitReturned() {
        WaitLimit.until(() -> heads.used() == 0 && process.used() == 0);
    }

    private double refused() {
        return registry.get("kubemirror.connections.refused")
                .tag("reason", "memory")
                .functionCounter()
                .count();
    }
}
