package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.watch.WatchConnection.FrameSink;
import io.kubemirror.api.watch.WatchConnection.PendingWrite;
import io.kubemirror.model.MemoryBudget;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.FrameHandler;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.server.Handshaker;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeRequest;
import org.eclipse.jetty.websocket.core.server.ServerUpgradeResponse;
import org.eclipse.jetty.websocket.core.server.WebSocketServerComponents;
import org.jspecify.annotations.Nullable;

/**
 * Sends the frames of a watch as text messages of a WebSocket (RFC 6455), one message for each
 * event (list-watch.md#ws-1), of the bytes that other watches share. fabric8's client requests each
 * watch in this way first. Rejected: an empty 200, after which it falls back to HTTP and shows
 * bookmarks.
 *
 * <p>Jetty hands the connection over after the request has been completed, so the watch must not
 * start before. {@code session} is written before the watch starts, which orders it before every
 * run, and before Jetty may pass on a message; and never again. Extensions are not negotiated: a
 * compressor would take more memory than the watch.
 */
final class WebSocketSink implements FrameSink {

    private static final Handshaker HANDSHAKER = Handshaker.newInstance();

    private final PendingWrite unsent;
    private volatile @Nullable CoreSession session;

    /**
     * Creates a sink without a connection.
     *
     * @param budget the memory budget that pending writes are charged to
     */
    WebSocketSink(MemoryBudget budget) {
        this.unsent = new PendingWrite(budget);
    }

    /**
     * Answers a handshake. The connection is upgraded when the request is completed, and the watch
     * starts.
     *
     * @param opened the watch that sends to this sink
     * @param closed called once, when the client has been sent the end or is gone
     * @throws Rejection if the handshake is invalid
     */
    void upgrade(Exchange exchange, WatchConnection opened, Runnable closed) throws Rejection {
        ServletContextRequest request =
                ServletContextRequest.getServletContextRequest(exchange.request());
        if (!isAccepted(request, new UpgradedConnection(opened, closed))) {
            throw new Rejection(StatusErrors.badRequest("invalid WebSocket handshake"));
        }
        Request.addCompletionListener(
                request,
                failure -> {
                    if (failure != null) {
                        opened.requestEnd();
                        opened.start(closed);
                    }
                });
    }

    private static boolean isAccepted(ServletContextRequest request, FrameHandler handler) {
        Server server = request.getConnectionMetaData().getConnector().getServer();
        try {
            return HANDSHAKER.upgradeRequest(
                    (upgrade, response, _) -> negotiated(upgrade, response, handler),
                    request,
                    request.getServletContextResponse(),
                    Callback.NOOP,
                    WebSocketServerComponents.ensureWebSocketComponents(server),
                    null);
        } catch (HttpException.RuntimeException malformed) {
            return false;
        }
    }

    private static FrameHandler negotiated(
            ServerUpgradeRequest request, ServerUpgradeResponse response, FrameHandler handler) {
        response.setExtensions(List.of());
        List<String> protocols = request.getSubProtocols();
        if (protocols.size() == 1) {
            response.setAcceptedSubProtocol(protocols.getFirst());
        }
        return handler;
    }

    @Override
    public boolean send(FrameBatch batch, Consumer<@Nullable IOException> later)
            throws IOException {
        Callback written = unsent.begin(batch.bytes(), later);
        try {
            Iterator<byte[]> frames = batch.frames().iterator();
            while (frames.hasNext()) {
                Frame message = new Frame(OpCode.TEXT, ByteBuffer.wrap(frames.next()));
                boolean last = !frames.hasNext();
                client().sendFrame(message, last ? written : Callback.NOOP, !last);
            }
        } catch (RuntimeException | Error failed) {
            written.failed(failed);
            throw failed;
        }
        return false;
    }

    @Override
    public void abort(Throwable cause) {
        client().abort();
    }

    private CoreSession client() {
        return Objects.requireNonNull(session);
    }

    /**
     * A connection after its upgrade, which starts the watch. Messages of the client are discarded
     * one by one.
     */
    final class UpgradedConnection implements FrameHandler {

        private final WatchConnection watch;
        private final Runnable ended;

        UpgradedConnection(WatchConnection watch, Runnable ended) {
            this.watch = watch;
            this.ended = ended;
        }

        @Override
        public void onOpen(CoreSession opened, Callback callback) {
            opened.addIdleTimeoutListener(unsent::expire);
            session = opened;
            callback.succeeded();
            opened.demand();
            watch.start(this::close);
        }

        /** Closes the connection after everything that has been sent. */
        private void close() {
            client().close(CloseStatus.NORMAL, "", Callback.from(ended));
        }

        @Override
        public void onFrame(Frame frame, Callback callback) {
            if (frame.getOpCode() == OpCode.CLOSE) {
                callback.succeeded();
            } else if (frame.getOpCode() == OpCode.PING) {
                client().sendFrame(
                                new Frame(OpCode.PONG, frame.getPayload()),
                                Callback.from(callback, client()::demand),
                                false);
            } else {
                callback.succeeded();
                client().demand();
            }
        }

        @Override
        public void onError(Throwable cause, Callback callback) {
            watch.requestEnd();
            callback.succeeded();
        }

        @Override
        public void onClosed(CloseStatus status, Callback callback) {
            watch.requestEnd();
            callback.succeeded();
        }
    }
}
