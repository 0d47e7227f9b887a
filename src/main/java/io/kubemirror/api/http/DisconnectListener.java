package io.kubemirror.api.http;

import static org.eclipse.jetty.http.HttpVersion.HTTP_1_1;

import module java.base;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Detects that a client disconnects while its watch is idle, and ends the watch
 * (list-watch.md#fa-9).
 *
 * <p>Jetty reads nothing from an HTTP/1.1 connection while a request is being answered, so it does
 * not detect a disconnect until something is written. This listener therefore registers its own
 * interest in reading with the end point of the connection, with and without TLS. That costs one
 * object and no thread. A client that closes only its sending direction counts as disconnected, as
 * on the API server: its stream ends cleanly.
 *
 * <p>A client that has already sent its next request is served as before, but its disconnect is no
 * longer detected. The API server behaves the same. The one byte that was read of the request is
 * returned to the connection.
 *
 * <p>Rejected: {@code Connection: close} on every watch, after which all input could be read and
 * dropped. Clients would then open a connection, with a TLS handshake, for every watch that ends
 * normally. Also rejected: writing to idle clients, because not all of them accept blank lines.
 *
 * <p>Thread-safe.
 */
public final class DisconnectListener implements Callback {

    private final AbstractEndPoint client;
    private final Runnable disconnected;

    /**
     * Guarded by this: Jetty calls back on its own thread while a run of the watch may stop the
     * listener.
     */
    private boolean over;

    private DisconnectListener(AbstractEndPoint client, Runnable disconnected) {
        this.client = client;
        this.disconnected = disconnected;
    }

    /**
     * Registers a listener for the client of a request that is answered asynchronously.
     *
     * @param disconnected called when the client disconnects, possibly twice, before this method
     *     returns if it has already disconnected, or while another thread stops the listener
     * @return the listener, to be stopped; empty if the connection has several requests at a time,
     *     because Jetty detects the cancellation of each and needs no interest in reading
     */
    public static Optional<DisconnectListener> register(
            HttpServletRequest request, Runnable disconnected) {
        Request received = ServletContextRequest.getServletContextRequest(request);
        ConnectionMetaData connection = received.getConnectionMetaData();
        boolean shared = connection.getHttpVersion().getVersion() > HTTP_1_1.getVersion();
        if (shared) {
            received.addFailureListener(_ -> disconnected.run());
            // Jetty drops the listener of a request that has already failed.
            if (Content.Chunk.isFailure(received.read())) {
                disconnected.run();
            }
        }
        return !shared && connection.getConnection().getEndPoint() instanceof AbstractEndPoint end
                ? Optional.of(register(end, disconnected))
                : Optional.empty();
    }

    /**
     * Reads the unsolicited body of a request. Otherwise the body would be parsed as the next
     * request.
     *
     * @throws Rejection if a body is announced and has not arrived
     */
    public static void requireWholeRequest(HttpServletRequest request) throws Rejection {
        if (!ServletContextRequest.getServletContextRequest(request).consumeAvailable()) {
            throw new Rejection(
                    Reply.of(StatusErrors.badRequest("a watch request must not have a body"))
                            .with("Connection", "close"));
        }
    }

    /** Registers a listener for the client of a connection. */
    static DisconnectListener register(AbstractEndPoint client, Runnable disconnected) {
        DisconnectListener disconnectListener = new DisconnectListener(client, disconnected);
        client.tryFillInterested(disconnectListener);
        return disconnectListener;
    }

    /**
     * Stops listening. Must be called before the request is completed, because Jetty closes a
     * connection on which another callback is registered at that time.
     */
    public synchronized void stop() {
        if (!over) {
            over = true;
            client.getFillInterest().onFail(new CancellationException());
        }
    }

    /** Called when there is input or the end of the input. */
    @Override
    public void succeeded() {
        if (isDisconnected()) {
            disconnected.run();
        }
    }

    /** Called when the connection has been closed or listening stops. */
    @Override
    public void failed(Throwable cause) {
        if (end()) {
            disconnected.run();
        }
    }

    private synchronized boolean isDisconnected() {
        try {
            return !over && read();
        } catch (IOException broken) {
            return end();
        }
    }

    /** Returns whether it was not over. */
    private synchronized boolean end() {
        boolean first = !over;
        over = true;
        return first;
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    /** Reads a byte, and returns whether there is none any more. */
    private boolean read() throws IOException {
        ByteBuffer one = BufferUtil.allocate(1);
        int count = client.fill(one);
        if (count == 0) {
            // The input was a TLS record without content.
            client.tryFillInterested(this);
            return false;
        }
        over = true;
        return count < 0 || !isRestored(one);
    }

    /** Returns the byte to the connection as input that a previous protocol has not consumed. */
    private boolean isRestored(ByteBuffer read) {
        if (client.getConnection() instanceof Connection.UpgradeTo connection) {
            connection.onUpgradeTo(read);
        }
        if (read.hasRemaining()) {
            // A full buffer of requests is already pending.
            client.close();
            return false;
        }
        return true;
    }
}
