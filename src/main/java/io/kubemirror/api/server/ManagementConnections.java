package io.kubemirror.api.server;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.server.ConnectionMeters.Reason;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.VirtualThreads;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;

import java.net.InetAddress;
import java.nio.channels.SelectableChannel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

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
 * waits for a client that does not read its response. Thread-safe; all mutable fields are guarded
 * by the monitor.
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
    private final ConnectionProperties limits;
    private final ClientMemory memory;
    private final ConnectionMeters meters;
    private final LongSupplier nanoTime;

    /** From the oldest to the newest. */
    private final Map<SelectableChannel, ClientConnection> open = new LinkedHashMap<>();

    private List<Connector> connectors = List.of();

    /**
     * Creates a tracker without connections.
     *
     * @param ownPort whether the actuator has a separate port; if not, no connections are tracked
     * @param nanoTime the time in nanoseconds, from any origin
     */
    ManagementConnections(
            boolean ownPort,
            ConnectionProperties limits,
            ClientMemory memory,
            ConnectionMeters meters,
            LongSupplier nanoTime) {
        this.ownPort = ownPort;
        this.limits = limits;
        this.memory = memory;
        this.meters = meters;
        this.nanoTime = nanoTime;
    }

    @Override
    public void customize(JettyServletWebServerFactory factory) {
        if (ownPort) {
            factory.addServerCustomizers(this::keep);
        }
    }

    /** Tracks the connections of a server that has not been started. */
    private synchronized void keep(Server server) {
        connectors = List.of(server.getConnectors());
        for (Connector connector : connectors) {
            connector.getConnectionFactories().stream()
                    .filter(HttpConnectionFactory.class::isInstance)
                    .map(HttpConnectionFactory.class::cast)
                    .forEach(http -> http.getHttpConfiguration().setRequestHeaderSize(HEAD));
            connector.addBean(this);
            connector.addBean(
                    new LateRequests(
                            this::find, connector, limits.requestTimeout(), meters, nanoTime));
            BudgetedHttpFactory.install(connector, memory.management(), meters);
        }
        server.setErrorHandler(new JettySettings.PlainErrors());
        if (server.getThreadPool() instanceof VirtualThreads.Configurable threads) {
            threads.setVirtualThreadsExecutor(VirtualThreads.getDefaultVirtualThreadsExecutor());
        }
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        accepted(channel).ifPresent(this::close);
    }

    /** Counts a connection, and returns the connection that it replaces, if any. */
    private synchronized Optional<SelectableChannel> accepted(SelectableChannel channel) {
        Optional<SelectableChannel> oldest =
                open.size() < limits.managementMax() ? Optional.empty() : oldest();
        oldest.ifPresent(open::remove);
        open.put(channel, new ClientConnection(InetAddress.getLoopbackAddress(), Optional.empty()));
        return oldest;
    }

    private Optional<SelectableChannel> oldest() {
        return open.entrySet().stream()
                .filter(connection -> !connection.getValue().isAnswering())
                .findFirst()
                .or(() -> open.entrySet().stream().findFirst())
                .map(Map.Entry::getKey);
    }

    private void close(SelectableChannel channel) {
        meters.refused(Reason.MANAGEMENT);
        all().stream()
                .filter(client -> channel.equals(client.getTransport()))
                .findFirst()
                .ifPresentOrElse(EndPoint::close, () -> IO.close(channel));
    }

    private synchronized List<EndPoint> all() {
        return connectors.stream()
                .flatMap(connector -> connector.getConnectedEndPoints().stream())
                .toList();
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        onClosed(channel);
    }

    @Override
    public synchronized void onClosed(SelectableChannel channel) {
        open.remove(channel);
    }

    /** Records the arrival of a request. */
    void received(HttpServletRequest http) {
        var request = ServletContextRequest.getServletContextRequest(http);
        find(ConnectionLimiter.network(request)).ifPresent(found -> found.attend(request));
    }

    private synchronized Optional<ClientConnection> find(EndPoint client) {
        return client.getTransport() instanceof SelectableChannel channel
                ? Optional.ofNullable(open.get(channel))
                : Optional.empty();
    }
}
