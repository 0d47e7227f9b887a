package io.kubemirror.api.watch;

import static org.eclipse.jetty.http.HttpVersion.HTTP_1_1;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.memory.MemoryBudget;

import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Writes the frames of a watch as chunks of HTTP/1.1. Every chunk is complete with its last byte
 * (list-watch.md#wi-1, #wi-3).
 *
 * <p>Jetty ends a chunk only when the next one begins. Clients that read the closing line break of
 * a chunk immediately, such as urllib3 and the Python client, would therefore always be one event
 * behind. So once Jetty has sent the headers, this sink writes chunks directly to the connection.
 * Jetty writes the last, empty chunk. This also saves a copy of every frame.
 *
 * <p>The part that the socket accepts immediately is written from the thread's own chunk. If the
 * client is slow, the remainder is copied, and Jetty writes the copy when the socket accepts more.
 * The copy is charged to the memory budget, except for a small one, which every connection may
 * have. If there is no memory for a larger copy, the watch ends, and the client can resume from the
 * last event that it received.
 *
 * <p>Rejected: an unchunked stream that ends with its connection, because the API server does not
 * send one (list-watch.md#wi-1); and a blank as the next chunk, because it would precede the next
 * frame (list-watch.md#wi-2).
 *
 * <p>Jetty does not see these writes and would keep the connection of a client that accepts no
 * bytes open forever. This sink therefore handles Jetty's idle timeout and closes the connection if
 * a write is pending (list-watch.md#fa-5).
 */
final class ChunkSink implements FrameSink {

    /** The size of a copy that is allowed even when the budget is exhausted, in bytes. */
    static final int ASSURED = 16 * 1024;

    private final EndPoint client;
    private final Supplier<Chunk> chunks;
    private final MemoryBudget budget;

    /**
     * Whether Jetty is writing the remainder of a batch. Set before the remainder is passed to
     * Jetty. A timeout that races with the end of the write may still close the connection; its
     * client accepted no bytes for the whole timeout.
     */
    private volatile boolean writing;

    /** Set before the connection is closed, so that the failed write can report it as its cause. */
    private volatile @Nullable TimeoutException stall;

    private ChunkSink(EndPoint client, Supplier<Chunk> chunks, MemoryBudget budget) {
        this.budget = budget;
        this.client = client;
        this.chunks = chunks;
    }

    /**
     * Sends the headers of a watch, and returns the sink for its frames.
     *
     * @param chunks provides the chunk of the calling thread
     * @throws IOException if the client has disconnected
     */
    static FrameSink begin(Exchange exchange, Supplier<Chunk> chunks) throws IOException {
        HttpServletResponse response = exchange.response();
        ServletContextRequest request =
                ServletContextRequest.getServletContextRequest(exchange.request());
        ConnectionMetaData connection = request.getConnectionMetaData();
        boolean chunked = connection.getHttpVersion() == HTTP_1_1;
        if (chunked) {
            // Also set if the client asks for the connection to be closed after the response.
            response.setHeader("Transfer-Encoding", "chunked");
        }
        response.flushBuffer();
        if (!chunked) {
            return new ResponseSink(
                    request.getServletContextResponse(), exchange.memory().responses());
        }
        ChunkSink sink =
                new ChunkSink(
                        connection.getConnection().getEndPoint(),
                        chunks,
                        exchange.memory().responses());
        request.addIdleTimeoutListener(sink::stalled);
        return sink;
    }

    /** Handles Jetty's idle timeout. A watch without a pending write continues. */
    private boolean stalled(TimeoutException timeout) {
        if (writing) {
            stall = timeout;
            client.close(timeout);
        }
        return false;
    }

    @Override
    public boolean send(FrameBatch batch, Consumer<@Nullable IOException> later)
            throws IOException {
        ByteBuffer bytes = chunks.get().of(batch);
        if (client.flush(bytes)) {
            return true;
        }
        int size = bytes.remaining();
        try {
            reserve(size, budget);
        } catch (IOException exhausted) {
            // Part of the chunk has been written, so nothing else may follow on this connection.
            client.close(exhausted);
            throw exhausted;
        }
        byte[] rest = new byte[size];
        bytes.get(rest);
        writing = true;
        client.write(
                Callback.from(
                        Callback.InvocationType.NON_BLOCKING,
                        () -> finished(size, null, later),
                        failure -> finished(size, failure, later)),
                ByteBuffer.wrap(rest));
        return false;
    }

    /**
     * Acquires memory for the remainder that is written later.
     *
     * @throws IOException if the budget is exhausted
     */
    static void reserve(int size, MemoryBudget budget) throws IOException {
        if (size <= ASSURED) {
            budget.acquire(size);
        } else if (!budget.tryAcquire(size)) {
            throw new IOException("no memory is left for what the client does not take");
        }
    }

    private void finished(
            int size, @Nullable Throwable failure, Consumer<@Nullable IOException> later) {
        budget.release(size);
        writing = false;
        later.accept(failure == null ? null : why(failure));
    }

    private IOException why(Throwable failure) {
        return stall == null
                ? new IOException("the client is gone", failure)
                : new IOException("the client takes nothing", stall);
    }
}
