package io.kubemirror.api.watch;

import static org.eclipse.jetty.http.HttpVersion.HTTP_1_1;

import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.api.http.StatusErrors;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * Notices that a client hangs up while its watch is silent, and ends the watch
 * (list-watch.md#fa-9).
 *
 * <p>Jetty reads nothing from a connection of HTTP/1.1 while a request is being answered, so it
 * does not see the client go until something is written. Therefore the watch itself asks the
 * connection's end point to be told when there is something to read: over TLS as without. It costs
 * this object and no thread. A client that closes only its own direction is gone too, as for the
 * API server: its stream ends cleanly.
 *
 * <p>A client that sends its next request already is served as before, but is no longer heard when
 * it hangs up; the API server does the same. What has been read of the request, one byte, goes back
 * to the connection.
 *
 * <p>Rejected: {@code ServerConnection: close} on every watch, after which all that comes could be
 * read and dropped. Clients then open a connection, with TLS a handshake, for every watch that ends
 * in the ordinary way. Also rejected: writing to silent clients, as not all of them take blank
 * lines.
 *
 * <p>May be used from any thread.
 */
final class DisconnectListener implements Callback {

    private final AbstractEndPoint client;
    private final StopSignal stopSignal;

    /** Guarded by this: the connection is told on a thread of Jetty while a turn may stop it. */
    private boolean over;

    private DisconnectListener(AbstractEndPoint client, StopSignal stopSignal) {
        this.client = client;
        this.stopSignal = stopSignal;
    }

    /**
     * Listens to the client of a request that is answered asynchronously.
     *
     * @param stopSignal told when the client is gone
     * @return to be stopped; empty where the connection has several requests at a time, each of
     *     which Jetty sees go
     */
    static Optional<DisconnectListener> register(
            HttpServletRequest request, StopSignal stopSignal) {
        Request received = ServletContextRequest.getServletContextRequest(request);
        ConnectionMetaData connection = received.getConnectionMetaData();
        boolean shared = connection.getHttpVersion().getVersion() > HTTP_1_1.getVersion();
        return !shared && connection.getConnection().getEndPoint() instanceof AbstractEndPoint end
                ? Optional.of(register(end, stopSignal))
                : Optional.empty();
    }

    /**
     * Reads the body that nobody asked for, as it would be taken for the client's next request.
     *
     * @throws Rejection if it is announced and has not come
     */
    static void requireWholeRequest(HttpServletRequest request) throws Rejection {
        if (!ServletContextRequest.getServletContextRequest(request).consumeAvailable()) {
            throw new Rejection(
                    Reply.of(StatusErrors.badRequest("a watch takes no body"))
                            .with("Connection", "close"));
        }
    }

    /** Listens to the client at the end of a connection. */
    static DisconnectListener register(AbstractEndPoint client, StopSignal stopSignal) {
        DisconnectListener disconnectListener = new DisconnectListener(client, stopSignal);
        client.tryFillInterested(disconnectListener);
        return disconnectListener;
    }

    /**
     * Listens no longer. Has to come before the request is completed, because Jetty closes a
     * connection on which somebody else listens then.
     */
    synchronized void stop() {
        if (!over) {
            over = true;
            client.getFillInterest().onFail(new CancellationException());
        }
    }

    /** There is something to read, or the end. */
    @Override
    public synchronized void succeeded() {
        if (!over) {
            try {
                read();
            } catch (IOException broken) {
                disconnected();
            }
        }
    }

    /** The connection has been closed, or listening stops. */
    @Override
    public synchronized void failed(Throwable cause) {
        if (!over) {
            disconnected();
        }
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    private void read() throws IOException {
        ByteBuffer one = BufferUtil.allocate(1);
        int count = client.fill(one);
        if (count < 0) {
            disconnected();
        } else if (count > 0) {
            over = true;
            restore(one);
        } else {
            // It was no content but a record of TLS.
            client.tryFillInterested(this);
        }
    }

    private void disconnected() {
        over = true;
        stopSignal.request();
    }

    /** As if the byte had been left over by the protocol that was spoken before. */
    private void restore(ByteBuffer read) {
        if (client.getConnection() instanceof Connection.UpgradeTo connection) {
            connection.onUpgradeTo(read);
        }
        if (read.hasRemaining()) {
            // A whole buffer of requests waits already.
            client.close();
            disconnected();
        }
    }
}
