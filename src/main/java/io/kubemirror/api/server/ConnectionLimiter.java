package io.kubemirror.api.server;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.server.ConnectionMeters.Reason;
import io.kubemirror.model.Status;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.IO;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Tracks the connections of the API's port, and limits their number.
 *
 * <p>A connection beyond a limit is still accepted, so that its client gets an error with a reason
 * and a retry time; it is closed after this response. Only a few such connections are open at a
 * time. If there are more, Jetty accepts nothing until some of them are closed, and connections of
 * a client that has too many of its own, or for which there is no memory, are closed without a
 * response. They never take the place of connections within the limits.
 *
 * <p>Each connection is charged a fixed amount of the memory budget, most of which is the memory of
 * a watch. A connection that does not fit the budget is beyond a limit.
 *
 * <p>Rejected: Jetty's own limit alone, because a client beyond it waits without a response, and
 * because it ignores addresses; and a limit on the accept rate, because it would delay thousands of
 * watches that reconnect after a restart.
 */
public final class ConnectionLimiter implements SelectorManager.AcceptListener {

    /**
     * The maximum number of connections beyond the total limit that get a response at the same
     * time.
     */
    static final int SPARE = 100;

    /**
     * The maximum number of connections beyond a client's limit that get a response at the same
     * time.
     */
    static final int SPARE_PER_CLIENT = 10;

    private final ConnectionProperties limits;
    private final ClientMemory memory;
    private final ConnectionMeters meters;
    private final LongSupplier nanoTime;
    private final Map<SelectableChannel, ClientConnection> open = new ConcurrentHashMap<>();

    /** Guarded by this, including the counts in it and the total count. */
    private final Map<InetAddress, ConnectionCounts> clients = new HashMap<>();

    private int admitted;
    private int excessive;

    /**
     * The budget charge of each connection, in bytes; set before the first connection is accepted.
     */
    private volatile int cost = ClientMemory.CONNECTION;

    /** The connection counts of one client address. */
    private static final class ConnectionCounts {

        private int admitted;
        private int excessive;

        private boolean isEmpty() {
            return admitted + excessive == 0;
        }
    }

    /**
     * Creates a limiter without connections.
     *
     * @param nanoTime the time in nanoseconds, from any origin
     */
    public ConnectionLimiter(
            ConnectionProperties limits,
            ClientMemory memory,
            ConnectionMeters meters,
            LongSupplier nanoTime) {
        this.limits = limits;
        this.memory = memory;
        this.meters = meters;
        this.nanoTime = nanoTime;
    }

    /** Tracks the connections of a server that has not been started. */
    void keep(Server server) {
        for (Connector connector : server.getConnectors()) {
            if (connector.getConnectionFactory(SslConnectionFactory.class) != null) {
                cost = ClientMemory.CONNECTION + ClientMemory.TLS;
            }
            BudgetedHttpFactory.install(connector, memory.heads(), meters);
            connector.addBean(this);
            connector.addBean(
                    new LateRequests(
                            this::find, connector, limits.requestTimeout(), meters, nanoTime));
        }
        if (limits.max() > 0) {
            server.addBean(
                    new NetworkConnectionLimit(limits.max() + SPARE, server.getConnectors()));
        }
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        try {
            InetSocketAddress client =
                    (InetSocketAddress) ((SocketChannel) channel).getRemoteAddress();
            if (!accept(channel, client.getAddress())) {
                IO.close(channel);
            }
        } catch (IOException gone) {
            IO.close(channel);
        }
    }

    /** Counts a connection, and returns whether its requests should be read. */
    private synchronized boolean accept(SelectableChannel channel, InetAddress client) {
        ConnectionCounts tally = clients.computeIfAbsent(client, _ -> new ConnectionCounts());
        Optional<Reason> excess = excess(tally);
        if (excess.isEmpty()) {
            admitted++;
            tally.admitted++;
        } else {
            tally.excessive++;
            excessive++;
            memory.connections().acquire(cost);
            meters.refused(excess.get());
        }
        meters.opened();
        open.put(channel, new ClientConnection(client, excess.map(this::refusal)));
        return excessive <= SPARE
                && (limits.maxPerClient() == 0 || tally.excessive <= SPARE_PER_CLIENT);
    }

    private Optional<Reason> excess(ConnectionCounts tally) {
        if (limits.maxPerClient() > 0 && tally.admitted >= limits.maxPerClient()) {
            return Optional.of(Reason.CLIENT);
        }
        if (limits.max() > 0 && admitted >= limits.max()) {
            return Optional.of(Reason.TOTAL);
        }
        return memory.connections().tryAcquire(cost)
                ? Optional.empty()
                : Optional.of(Reason.MEMORY);
    }

    private Status refusal(Reason excess) {
        return switch (excess) {
            case CLIENT ->
                    StatusErrors.tooManyConnections(
                            "your address has", "kubemirror.connections.max-per-client");
            case MEMORY -> StatusErrors.outOfMemory();
            case TOTAL, LATE, MANAGEMENT ->
                    StatusErrors.tooManyConnections("kubemirror has", "kubemirror.connections.max");
        };
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        onClosed(channel);
    }

    @Override
    public synchronized void onClosed(SelectableChannel channel) {
        ClientConnection closed = open.remove(channel);
        if (closed == null) {
            return;
        }
        meters.closed();
        memory.connections().release(cost);
        ConnectionCounts tally = Objects.requireNonNull(clients.get(closed.client()));
        if (closed.refusal().isEmpty()) {
            admitted--;
            tally.admitted--;
        } else {
            tally.excessive--;
            excessive--;
        }
        if (tally.isEmpty()) {
            clients.remove(closed.client());
        }
    }

    /**
     * Records the arrival of a request.
     *
     * @return the error response if the connection of the request is beyond a limit
     */
    Optional<Status> received(HttpServletRequest http) {
        Request request = ServletContextRequest.getServletContextRequest(http);
        Optional<ClientConnection> connection = find(network(request));
        connection.ifPresent(found -> found.attend(request));
        return connection.flatMap(ClientConnection::refusal);
    }

    /** Returns the connection of a network end point, empty if it is closed. */
    Optional<ClientConnection> find(EndPoint client) {
        return client.getTransport() instanceof SelectableChannel channel
                ? Optional.ofNullable(open.get(channel))
                : Optional.empty();
    }

    /** Returns the network end point that a request arrived on. */
    static EndPoint network(Request request) {
        return network(request.getConnectionMetaData().getConnection().getEndPoint());
    }

    /** Returns the end point below TLS. */
    private static EndPoint network(EndPoint client) {
        return client instanceof EndPoint.Wrapper tls ? network(tls.unwrap()) : client;
    }
}
