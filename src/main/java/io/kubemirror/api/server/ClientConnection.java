package io.kubemirror.api.server;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Status;

import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;

import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The connection of a client: why its requests are refused, if they are, and whether a request is
 * in progress. Thread-safe.
 */
final class ClientConnection {

    private final Object client;
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
     * @param client the client's {@code InetAddress}, or the {@code Identity} of its process on the
     *     Unix socket
     * @param refusal the response to all requests if the connection is beyond a limit
     */
    ClientConnection(Object client, Optional<Status> refusal) {
        this.client = client;
        this.refusal = refusal;
    }

    /** Returns what all connections of the client have in common: the address, or the user. */
    Object client() {
        return peer().<Object>map(Identity::name).orElse(client);
    }

    /** Returns the process that has connected to the Unix socket, empty for a client by TCP. */
    Optional<Identity> peer() {
        return client instanceof Identity peer ? Optional.of(peer) : Optional.empty();
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

    /** Whether a request is being answered. */
    synchronized boolean isAnswering() {
        return answering > 0;
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
     * Whether the next request takes too long to arrive. Must be called periodically, because the
     * beginning of a request is detected by the growth of {@code bytes}. A refused client is late
     * if it does not disconnect. If requests may overlap, no other is ever late: that protocol has
     * its own timeouts.
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
