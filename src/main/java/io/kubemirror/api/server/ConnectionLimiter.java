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
 * The connections of the API's port, and the limits of their number.
 *
 * <p>A connection beyond a limit is accepted nonetheless, so that its client can be told why it is
 * refused and when to come again, and is closed after this answer. There are a few of them at a
 * time: beyond them Jetty accepts nothing until some are closed, and those of a client that has too
 * many of its own, or for which there is no memory, are closed unheard. Connections within the
 * limits never pay for the others.
 *
 * <p>Each connection draws a fixed amount of memory from the budget, the largest part of which is
 * what a watch takes. A connection for which there is none is one beyond a limit.
 *
 * <p>Rejected: Jetty's own limit alone, under which a client beyond it waits without a word, and
 * which knows no addresses; and a rate of accepted connections, which would slow the return of
 * thousands of watches after a restart.
 */
public final class ConnectionLimiter implements SelectorManager.AcceptListener {

    /** How many connections beyond the limit in total are heard at the same time. */
    static final int SPARE = 100;

    /** How many connections beyond the limit for one client are heard at the same time. */
    static final int SPARE_PER_CLIENT = 10;

    private final ConnectionLimits limits;
    private final ClientMemory memory;
    private final ConnectionMeters meters;
    private final LongSupplier nanoTime;
    private final Map<SelectableChannel, ClientConnection> open = new ConcurrentHashMap<>();

    /** With the tallies in it and the number of all, guarded by this. */
    private final Map<InetAddress, ConnectionCounts> clients = new HashMap<>();

    private int admitted;
    private int excessive;

    /** What each connection takes of the budget; set before the first one comes. */
    private volatile int cost = ClientMemory.CONNECTION;

    /** The connections of one client address. */
    private static final class ConnectionCounts {

        private int admitted;
        private int excessive;

        private boolean isEmpty() {
            return admitted + excessive == 0;
        }
    }

    /**
     * No connections yet.
     *
     * @param nanoTime the time in nanoseconds, from any origin
     */
    public ConnectionLimiter(
            ConnectionLimits limits,
            ClientMemory memory,
            ConnectionMeters meters,
            LongSupplier nanoTime) {
        this.limits = limits;
        this.memory = memory;
        this.meters = meters;
        this.nanoTime = nanoTime;
    }

    /** Keeps the connections of a server that has not been started yet. */
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
        if (limits.total() > 0) {
            server.addBean(
                    new NetworkConnectionLimit(limits.total() + SPARE, server.getConnectors()));
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

    /** Counts a connection, and tells whether its requests are to be read. */
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
                && (limits.perClient() == 0 || tally.excessive <= SPARE_PER_CLIENT);
    }

    private Optional<Reason> excess(ConnectionCounts tally) {
        if (limits.perClient() > 0 && tally.admitted >= limits.perClient()) {
            return Optional.of(Reason.CLIENT);
        }
        if (limits.total() > 0 && admitted >= limits.total()) {
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
     * A request has arrived.
     *
     * @return what it is to be answered with if its connection is one too many
     */
    Optional<Status> received(HttpServletRequest http) {
        Request request = ServletContextRequest.getServletContextRequest(http);
        Optional<ClientConnection> connection = find(network(request));
        connection.ifPresent(found -> found.attend(request));
        return connection.flatMap(ClientConnection::refusal);
    }

    /** The connection of an end point of the network; empty if it is closed. */
    Optional<ClientConnection> find(EndPoint client) {
        return client.getTransport() instanceof SelectableChannel channel
                ? Optional.ofNullable(open.get(channel))
                : Optional.empty();
    }

    /** The end point of the network that a request came from. */
    static EndPoint network(Request request) {
        return network(request.getConnectionMetaData().getConnection().getEndPoint());
    }

    /** What is below TLS. */
    private static EndPoint network(EndPoint client) {
        return client instanceof EndPoint.Wrapper tls ? network(tls.unwrap()) : client;
    }
}
