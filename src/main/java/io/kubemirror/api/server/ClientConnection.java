package io.kubemirror.api.server;

import io.kubemirror.model.Status;

import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;

import java.net.InetAddress;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A connection of a client: why its requests are refused, if they are, and whether one is on its
 * way. May be used from any thread.
 */
final class ClientConnection {

    private final InetAddress client;
    private final Optional<Status> refusal;

    /** This and all below it are guarded by this. */
    private int answering;

    private boolean answered;
    private boolean shared;
    private boolean coming = true;
    private boolean timed;
    private long since;
    private long heard;

    /**
     * A connection on which the first request is awaited.
     *
     * @param client the client's address
     * @param refusal what requests are answered with if the connection is one too many
     */
    ClientConnection(InetAddress client, Optional<Status> refusal) {
        this.client = client;
        this.refusal = refusal;
    }

    /** The client's address. */
    InetAddress client() {
        return client;
    }

    /** What requests are answered with if the connection is one too many. */
    Optional<Status> refusal() {
        return refusal;
    }

    /** A request has arrived; notes by itself when it has been answered. */
    void attend(Request request) {
        ConnectionMetaData connection = request.getConnectionMetaData();
        begun(connection.getHttpVersion().getVersion() > HttpVersion.HTTP_1_1.getVersion());
        EndPoint client = ConnectionLimiter.network(request);
        Request.addCompletionListener(request, _ -> ended(client.getConnection().getBytesIn()));
    }

    /** Whether a request is being answered. */
    synchronized boolean isAnswering() {
        return answering > 0;
    }

    /**
     * A request has arrived.
     *
     * @param overlapping whether others may arrive before it is answered
     */
    synchronized void begun(boolean overlapping) {
        answering++;
        shared = overlapping;
        coming = false;
    }

    /**
     * A request has been answered.
     *
     * @param bytes how many have been received so far
     */
    synchronized void ended(long bytes) {
        answering--;
        answered = true;
        heard = bytes;
    }

    /**
     * Whether the next request takes too long to arrive. To be asked time and again, since it is by
     * growth that the beginning of a request is noticed. A client that has been refused is late to
     * hang up. Where requests may overlap, none is ever late: that protocol has timeouts of its
     * own.
     *
     * <p>The time begins when this method first finds that the server waits for the client, and
     * begins again whenever the server has something left to read: a server that is slow to accept,
     * to read or to dispatch does not make its clients late.
     *
     * @param bytes how many have been received so far
     * @param waiting tells whether the server has read all that has arrived and waits for more
     * @param now the time in nanoseconds, from any origin
     * @param patience how long a request may take, in nanoseconds
     */
    synchronized boolean isLate(long bytes, BooleanSupplier waiting, long now, long patience) {
        if (answering > 0 || shared) {
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
