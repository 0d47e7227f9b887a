package io.kubemirror.api.server;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.util.component.AbstractLifeCycle;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Closes the connections on which a request takes too long to arrive.
 *
 * <p>Jetty's idle timeout ends connections without traffic, but lets a client send a request byte
 * by byte for days. Every connection is therefore checked several times within the request timeout.
 * Only the request line and headers count: no request needs a body, so no thread waits for one.
 * Only the time in which the server waits for the client counts. Unread input, and requests that
 * wait for a thread, are the server's delay.
 *
 * <p>Rejected: a timer for every connection or request; and Jetty's minimum data rate, because it
 * applies to bodies only.
 */
final class LateRequests extends AbstractLifeCycle {

    /** The number of checks of each connection within the request timeout. */
    private static final int LOOKS = 4;

    private final Function<EndPoint, Optional<ClientConnection>> connections;
    private final Connector connector;
    private final Duration patience;
    private final ConnectionMeters meters;
    private final LongSupplier nanoTime;

    /**
     * Creates a checker for the connections of one connector.
     *
     * @param connections returns the tracked state of an open connection
     * @param patience the maximum time for a request to arrive
     * @param nanoTime the time in nanoseconds, from any origin
     */
    LateRequests(
            Function<EndPoint, Optional<ClientConnection>> connections,
            Connector connector,
            Duration patience,
            ConnectionMeters meters,
            LongSupplier nanoTime) {
        this.connections = connections;
        this.connector = connector;
        this.patience = patience;
        this.meters = meters;
        this.nanoTime = nanoTime;
    }

    @Override
    protected void doStart() {
        lookLater();
    }

    private void lookLater() {
        var _ =
                connector
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
            connector.getConnectedEndPoints().forEach(this::look);
        } finally {
            lookLater();
        }
    }

    private void look(EndPoint client) {
        Connection connection = client.getConnection();
        if (connection != null && isLate(client, connection)) {
            meters.refused(ConnectionMeters.Reason.LATE);
            client.close();
        }
    }

    private boolean isLate(EndPoint client, Connection connection) {
        return connections
                .apply(client)
                .filter(
                        found ->
                                found.isLate(
                                        connection.getBytesIn(),
                                        () -> isWaiting(client),
                                        nanoTime.getAsLong(),
                                        patience.toNanos()))
                .isPresent();
    }

    /**
     * Whether the server has read all input and waits for more. Input is in the socket's buffer or,
     * while the server is not interested in more of it, on its way to a handler. It passes from one
     * to the other, so they are checked in this order.
     */
    private static boolean isWaiting(EndPoint client) {
        return available(client) == 0 && client.isFillInterested();
    }

    /** Returns the number of received bytes that the server has not read. */
    private static int available(EndPoint client) {
        if (!(client.getTransport() instanceof SocketChannel channel)) {
            return 0;
        }
        try {
            return channel.socket().getInputStream().available();
        } catch (IOException closed) {
            return 0;
        }
    }
}
