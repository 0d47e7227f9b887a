package io.kubemirror.api.server;

import module java.base;

import io.kubemirror.api.server.ConnectionLimiter.ConnectionMeters;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Status;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of one server. Closes those on which a request takes too long to arrive.
 *
 * <p>Jetty's idle timeout ends connections without traffic, but lets a client send a request byte
 * by byte for days. Every connection is therefore checked several times within the request timeout.
 * Only the request line and headers count: a body is either dropped, or passed on at a minimum
 * rate. Only the time in which the server waits for the client counts. Unread input, and requests
 * that wait for a thread, are the server's delay.
 *
 * <p>Rejected: a timer for every connection or request; and Jetty's minimum data rate, because it
 * applies to bodies only.
 */
final class ConnectionTracker extends AbstractLifeCycle implements SelectorManager.AcceptListener {

    /** The number of checks of each connection within the request timeout. */
    private static final int LOOKS = 4;

    private final Duration patience;
    private final ConnectionMeters meters;
    private final LongSupplier nanoTime;

    /** From the oldest to the newest; guarded by this. */
    private final Map<SelectableChannel, ClientConnection> open = new LinkedHashMap<>();

    /** Polls connections for unread input; used by the scheduler's thread only. */
    private @Nullable Selector poll;

    /** Set before the server starts. Boot hides them from the server while that starts. */
    private List<Connector> connectors = List.of();

    /**
     * Creates a tracker without connections.
     *
     * @param patience the maximum time for a request to arrive
     * @param nanoTime the time in nanoseconds, from any origin
     */
    ConnectionTracker(Duration patience, ConnectionMeters meters, LongSupplier nanoTime) {
        this.patience = patience;
        this.meters = meters;
        this.nanoTime = nanoTime;
    }

    /**
     * Tracks the connections of a server that has not been started.
     *
     * @param listener adds and removes the connections
     * @param heads the budget that the request heads are charged to
     */
    void track(Server server, SelectorManager.AcceptListener listener, MemoryBudget heads) {
        connectors = List.of(server.getConnectors());
        for (Connector connector : connectors) {
            BudgetedHttpFactory.install(connector, heads, meters);
            connector.addBean(listener);
        }
        server.addBean(this);
    }

    synchronized void add(SelectableChannel channel, ClientConnection connection) {
        open.put(channel, connection);
    }

    /** Removes a connection, and returns it if it was tracked. */
    synchronized Optional<ClientConnection> remove(SelectableChannel channel) {
        return Optional.ofNullable(open.remove(channel));
    }

    synchronized int size() {
        return open.size();
    }

    /** Tracks a connection without a limit. */
    @Override
    public void onAccepting(SelectableChannel channel) {
        add(channel, new ClientConnection(InetAddress.getLoopbackAddress(), Optional.empty()));
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        remove(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        remove(channel);
    }

    private synchronized Optional<ClientConnection> find(EndPoint client) {
        return client.getTransport() instanceof SelectableChannel channel
                ? Optional.ofNullable(open.get(channel))
                : Optional.empty();
    }

    /**
     * Records the arrival of a request.
     *
     * @return its connection, empty if that has been closed
     */
    Optional<ClientConnection> received(HttpServletRequest http) {
        Request request = ServletContextRequest.getServletContextRequest(http);
        EndPoint client = network(request.getConnectionMetaData().getConnection().getEndPoint());
        Optional<ClientConnection> connection = find(client);
        connection.ifPresent(found -> found.attend(request, client));
        return connection;
    }

    /** Returns the end point below TLS. */
    private static EndPoint network(EndPoint client) {
        return client instanceof EndPoint.Wrapper tls ? network(tls.unwrap()) : client;
    }

    @Override
    protected void doStart() throws IOException {
        poll = Selector.open();
        lookLater();
    }

    @Override
    protected void doStop() {
        IO.close(poll);
    }

    private void lookLater() {
        var _ =
                connectors
                        .getFirst()
                        .getScheduler()
                        .schedule(
                                this::look,
                                patience.dividedBy(LOOKS).toNanos(),
                                TimeUnit.NANOSECONDS);
    }

    private void look() {
        if (isStopping() || isStopped()) {
            return;
        }
        try {
            for (Connector connector : connectors) {
                connector.getConnectedEndPoints().forEach(this::look);
            }
        } finally {
            lookLater();
        }
    }

    private void look(EndPoint client) {
        Connection connection = client.getConnection();
        if (connection != null
                && find(client).filter(found -> isLate(found, client, connection)).isPresent()) {
            meters.refused(ConnectionMeters.Reason.LATE);
            client.close();
        }
    }

    private boolean isLate(ClientConnection found, EndPoint client, Connection connection) {
        return found.isLate(
                connection.getBytesIn(),
                () -> isWaiting(client),
                nanoTime.getAsLong(),
                patience.toNanos());
    }

    /**
     * Whether the server has read all input and waits for more. Input is in the socket's buffer or,
     * while the server is not interested in more of it, on its way to a handler. It passes from one
     * to the other, so they are checked in this order.
     */
    private boolean isWaiting(EndPoint client) {
        return !hasInput(client) && client.isFillInterested();
    }

    /**
     * Whether the server has not read all that has arrived. Channels do not tell how much that is,
     * so this asks a selector.
     */
    private boolean hasInput(EndPoint client) {
        Selector once = Objects.requireNonNull(poll);
        if (!(client.getTransport() instanceof SocketChannel channel)) {
            return false;
        }
        try {
            SelectionKey key = channel.register(once, SelectionKey.OP_READ);
            boolean readable = once.selectNow() > 0;
            key.cancel();
            // Closing a channel does not release its file before the key has been removed.
            once.selectNow();
            return readable;
        } catch (IOException | ClosedSelectorException | CancelledKeyException closed) {
            return false;
        }
    }

    /**
     * The connection of a client: why its requests are refused, if they are, and whether a request
     * is in progress. Thread-safe.
     */
    static final class ClientConnection {

        private final InetAddress client;
        private final Optional<Status> refusal;

        /** This field and all fields below are guarded by this. */
        private int answering;

        private boolean answered;
        private boolean shared;
        private boolean coming = true;
        private boolean timed;
        private long since;
        private long heard;

        /**
         * Creates a connection that waits for its first request.
         *
         * @param client the client's address
         * @param refusal the response to all requests if the connection is beyond a limit
         */
        ClientConnection(InetAddress client, Optional<Status> refusal) {
            this.client = client;
            this.refusal = refusal;
        }

        /** Returns the client's address. */
        InetAddress client() {
            return client;
        }

        /** Returns the response to all requests if the connection is beyond a limit. */
        Optional<Status> refusal() {
            return refusal;
        }

        /**
         * Records the arrival of a request, and its end when it has been answered. A request that
         * upgrades the connection to another protocol is the last one and never ends.
         *
         * @param client the network end point that it arrived on
         */
        void attend(Request request, EndPoint client) {
            ConnectionMetaData connection = request.getConnectionMetaData();
            begun(connection.getHttpVersion().getVersion() > HttpVersion.HTTP_1_1.getVersion());
            Request.addCompletionListener(
                    request,
                    _ -> {
                        if (request.getAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE) == null) {
                            ended(client.getConnection().getBytesIn());
                        }
                    });
        }

        /**
         * Records the arrival of a request.
         *
         * @param overlapping whether other requests may arrive before this one is answered
         */
        synchronized void begun(boolean overlapping) {
            answering++;
            shared = overlapping;
            coming = false;
        }

        /**
         * Records that a request has been answered.
         *
         * @param bytes the number of bytes received so far
         */
        synchronized void ended(long bytes) {
            answering--;
            answered = true;
            heard = bytes;
        }

        /**
         * Whether the next request takes too long to arrive. Must be called periodically, because
         * the beginning of a request is detected by the growth of {@code bytes}. A refused client
         * is late if it does not disconnect. If requests may overlap, no other is ever late: that
         * protocol has its own timeouts.
         *
         * <p>The time starts when this method first finds that the server waits for the client. It
         * restarts whenever the server has unread input. A server that is slow to accept, read, or
         * dispatch therefore does not make its clients late.
         *
         * @param bytes the number of bytes received so far
         * @param waiting whether the server has read all input and waits for more
         * @param now the time in nanoseconds, from any origin
         * @param patience the maximum time for a request, in nanoseconds
         */
        synchronized boolean isLate(long bytes, BooleanSupplier waiting, long now, long patience) {
            if (answering > 0 || (shared && refusal.isEmpty())) {
                return false;
            }
            boolean toHangUp = answered && refusal.isPresent();
            if (!coming && (bytes > heard || toHangUp)) {
                coming = true;
                timed = false;
            }
            if (!coming || !(toHangUp || waiting.getAsBoolean())) {
                timed = false;
                return false;
            }
            if (!timed) {
                timed = true;
                since = now;
            }
            return now - since >= patience;
        }
    }
}
