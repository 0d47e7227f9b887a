package io.kubemirror.api.server;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.RawClient;
import io.kubemirror.api.http.AccessControl;
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

/** Tests the limits of the management port, over real connections. */
@Timeout(25) // below Jetty's idle timeout, which would close everything too
class ManagementConnectionsTest {

    private static final int LIMIT = 3;
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
                        ApiFixture.LOOPBACK,
                        new AuthenticationFilter(() -> AccessControl.OPEN));
        ServletContextHandler context = new ServletContextHandler();
        context.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
        context.addServlet(new ServletHolder(new Probe()), "/*");
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(context);
        ManagementFilterConfiguration.customize(server, LIMIT);
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
                try {
                    released.await();
                } catch (InterruptedException closing) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Test
    void silent_connection_at_the_limit_makes_room_and_a_request_in_progress_stays() {
        try (RawClient probe = connect().ask("/health/slow");
                RawClient silent = connect()) {
            begun.acquireUninterruptibly();
            WaitLimit.until(() -> connector.getConnectedEndPoints().size() == 2);
            try (RawClient _ = connect();
                    RawClient newest = connect()) {
                assertThat(newest.ask("/health").line()).isEqualTo(OK);
                assertThat(silent.untilClosed()).isEmpty();
                released.countDown();
                assertThat(probe.line()).isEqualTo(OK);
            }
        }
    }

    /** Otherwise pipelining clients would occupy all carriers. */
    @Test
    void pipelining_clients_give_way_to_other_requests() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            Thread.startVirtualThread(
                    () -> {
                        for (long request = 1; !over.get(); request++) {
                            JettySettings.giveWay(request);
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

    private RawClient connect() {
        return RawClient.to(connector.getLocalPort());
    }
}
