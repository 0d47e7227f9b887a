package io.kubemirror.api.watch;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.watch.WatchSession.FrameSink;
import io.kubemirror.memory.MemoryBudget;

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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Sends the frames of a watch as text messages of a WebSocket (RFC 6455), one message for each
 * event (list-watch.md#ws-1).
 *
 * <p>Jetty hands the connection over to this sink after the request has been completed, so the
 * watch must not start before {@link #onOpen}. Messages of the client are discarded one by one.
 * Extensions are not negotiated: a compressor would take more memory than the watch.
 *
 * <p>{@code watch} and {@code ended} are written before the request is completed, {@code session}
 * before the watch starts, and never again. {@code writing} is written by the run of the watch
 * before a write and by Jetty after it; the idle timeout reads it on another thread.
 */
final class WebSocketSink implements FrameSink, FrameHandler {

    private static final Handshaker HANDSHAKER = Handshaker.newInstance();

    private final MemoryBudget budget;
    private @Nullable WatchSession watch;
    private Runnable ended = () -> {};
    private volatile @Nullable CoreSession session;
    private volatile boolean writing;

    /**
     * Creates a sink without a connection.
     *
     * @param budget the memory budget that pending writes are charged to
     */
    WebSocketSink(MemoryBudget budget) {
        this.budget = budget;
    }

    /**
     * Answers a handshake. The connection is upgraded when the request is completed, and the watch
     * starts.
     *
     * @param opened the watch that sends to this sink
     * @param closed called once, when the client has been sent the end or is gone
     * @throws Rejection if the handshake is invalid
     */
    void upgrade(Exchange exchange, WatchSession opened, Runnable closed) throws Rejection {
        watch = opened;
        ended = closed;
        ServletContextRequest request =
                ServletContextRequest.getServletContextRequest(exchange.request());
        if (!isAccepted(request)) {
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

    private boolean isAccepted(ServletContextRequest request) {
        Server server = request.getConnectionMetaData().getConnector().getServer();
        try {
            return HANDSHAKER.upgradeRequest(
                    this::negotiate,
                    request,
                    request.getServletContextResponse(),
                    Callback.NOOP,
                    WebSocketServerComponents.ensureWebSocketComponents(server),
                    null);
        } catch (HttpException.RuntimeException malformed) {
            return false;
        }
    }

    private FrameHandler negotiate(
            ServerUpgradeRequest request, ServerUpgradeResponse response, Callback callback) {
        response.setExtensions(List.of());
        List<String> protocols = request.getSubProtocols();
        if (protocols.size() == 1) {
            response.setAcceptedSubProtocol(protocols.getFirst());
        }
        return this;
    }

    @Override
    public void onOpen(CoreSession opened, Callback callback) {
        opened.addIdleTimeoutListener(_ -> writing);
        session = opened;
        callback.succeeded();
        opened.demand();
        Objects.requireNonNull(watch).start(this::close);
    }

    @Override
    public void onFrame(Frame frame, Callback callback) {
        CoreSession client = session;
        if (client == null || frame.getOpCode() == OpCode.CLOSE) {
            callback.succeeded();
        } else if (frame.getOpCode() == OpCode.PING) {
            client.sendFrame(
                    new Frame(OpCode.PONG, frame.getPayload()),
                    Callback.from(callback, client::demand),
                    false);
        } else {
            callback.succeeded();
            client.demand();
        }
    }

    @Override
    public void onError(Throwable cause, Callback callback) {
        Objects.requireNonNull(watch).requestEnd();
        callback.succeeded();
    }

    @Override
    public void onClosed(CloseStatus status, Callback callback) {
        Objects.requireNonNull(watch).requestEnd();
        callback.succeeded();
    }

    @Override
    public boolean send(FrameBatch batch, Consumer<@Nullable IOException> later)
            throws IOException {
        CoreSession client = session;
        if (client == null) {
            throw new IOException("the connection was lost before the upgrade");
        }
        int size = batch.bytes();
        ChunkSink.reserve(size, budget);
        writing = true;
        Callback written =
                Callback.from(
                        Callback.InvocationType.NON_BLOCKING,
                        () -> finished(size, null, later),
                        failure -> finished(size, failure, later));
        Iterator<byte[]> frames = batch.frames().iterator();
        while (frames.hasNext()) {
            Frame message = new Frame(OpCode.TEXT, ByteBuffer.wrap(frames.next()));
            boolean last = !frames.hasNext();
            client.sendFrame(message, last ? written : Callback.NOOP, !last);
        }
        return false;
    }

    private void finished(
            int size, @Nullable Throwable failure, Consumer<@Nullable IOException> later) {
        budget.release(size);
        writing = false;
        later.accept(failure == null ? null : new IOException("the client disconnected", failure));
    }

    /** Closes the connection after everything that has been sent. */
    private void close() {
        Objects.requireNonNull(session)
                .close(CloseStatus.NORMAL, "", Callback.from(() -> ended.run()));
    }
}
