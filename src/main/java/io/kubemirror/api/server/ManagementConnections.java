package io.kubemirror.api.server;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionProperties;
import io.kubemirror.api.server.ConnectionMeters.Reason;
import io.kubemirror.api.server.ConnectionTracker.ClientConnection;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.VirtualThreads;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

import java.net.InetAddress;
import java.nio.channels.SelectableChannel;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Tracks the connections of the management port, and limits their number.
 *
 * <p>The kubelet and Prometheus connect from the network and without credentials, so any client
 * that reaches the port can open as many connections as they do. A new connection is therefore
 * never refused. Beyond the limit, the oldest connection without a request in progress is closed,
 * or the oldest of all. A probe that sends its request immediately is answered before its
 * connection is the oldest.
 *
 * <p>Request heads are small on this port and are charged to a separate budget. No platform thread
 * waits for a client that does not read its response. Thread-safe: the monitor makes sure that
 * connections that are accepted together replace different ones.
 *
 * <p>Rejected: the limits of the API's port. Refused API clients can retry, but a container whose
 * probe fails is restarted.
 */
final class ManagementConnections
        implements SelectorManager.AcceptListener,
                WebServerFactoryCustomizer<JettyServletWebServerFactory> {

    /**
     * The maximum size of the request line and headers, in bytes: enough for a token and for the
     * headers that browsers send.
     */
    static final int HEAD = 16 * 1024;

    private final boolean ownPort;
    private final Supplier<ConnectionProperties> limits;
    private final ClientMemory memory;
    private final ConnectionMeters meters;
    private final ConnectionTracker tracker;

    /**
     * Creates a tracker without connections.
     *
     * @param ownPort whether the actuator has a separate port; if not, no connections are tracked
     * @param nanoTime the time in nanoseconds, from any origin
     */
    ManagementConnections(
            boolean ownPort,
            Supplier<ConnectionProperties> limits,
            ClientMemory memory,
            ConnectionMeters meters,
            LongSupplier nanoTime) {
        this.ownPort = ownPort;
        this.limits = limits;
        this.memory = memory;
        this.meters = meters;
        this.tracker = new ConnectionTracker(() -> limits.get().requestTimeout(), meters, nanoTime);
    }

    @Override
    public void customize(JettyServletWebServerFactory factory) {
        if (ownPort) {
            factory.addServerCustomizers(this::keep);
        }
    }

    /** Tracks the connections of a server that has not been started. */
    void keep(Server server) {
        server.getContainedBeans(HttpConnectionFactory.class)
                .forEach(factory -> factory.getHttpConfiguration().setRequestHeaderSize(HEAD));
        tracker.track(server, this, memory.management());
        server.setErrorHandler(new JettySettings.PlainErrors());
        if (server.getThreadPool() instanceof VirtualThreads.Configurable threads) {
            threads.setVirtualThreadsExecutor(
                    VirtualThreads.getNamedVirtualThreadsExecutor("management-"));
        }
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        replaced(channel).ifPresent(this::close);
    }

    /** Counts a connection, and returns the connection that it replaces, if any. */
    private synchronized Optional<SelectableChannel> replaced(SelectableChannel channel) {
        Optional<SelectableChannel> oldest =
                tracker.size() < limits.get().managementMax() ? Optional.empty() : tracker.oldest();
        oldest.ifPresent(tracker::remove);
        tracker.add(
                channel, new ClientConnection(InetAddress.getLoopbackAddress(), Optional.empty()));
        return oldest;
    }

    private void close(SelectableChannel channel) {
        meters.refused(Reason.MANAGEMENT);
        tracker.endPoints()
                .filter(client -> channel.equals(client.getTransport()))
                .findFirst()
                .ifPresentOrElse(EndPoint::close, () -> IO.close(channel));
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        onClosed(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        tracker.remove(channel);
    }

    /** Records the arrival of a request. */
    void received(HttpServletRequest request) {
        tracker.received(request);
    }
}
