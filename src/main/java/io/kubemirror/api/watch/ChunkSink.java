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
 * The frames of a watch as chunks of HTTP/1.1, each complete with its last byte
 * (list-watch.md#wi-1, #wi-3).
 *
 * <p>Jetty ends a chunk only where the next begins. Clients that read a chunk's closing line break
 * at once, urllib3 and with it the Python client among them, would therefore always be one event
 * behind. So once Jetty has sent the headers, chunks are written past it; the last, empty one comes
 * from Jetty again. That also spares a copy of every frame.
 *
 * <p>What the client's connection takes at once goes out of the thread's own chunk. Only for the
 * rest of it, if the client is slow, a copy is made, which Jetty writes when it can. The copy draws
 * from the budget; of a small one every connection may have one in any case. If there is no memory
 * for a larger one, the watch ends, and the client can go on from what it has got.
 *
 * <p>Rejected: an unchunked stream that ends with its connection, which the API server does not
 * send (list-watch.md#wi-1); and a blank as the next chunk, which would stand before the next frame
 * (list-watch.md#wi-2).
 *
 * <p>Jetty does not see these writes, so it would let a client that takes no byte of them stay for
 * ever. Its idle timeout is therefore listened to, and ends the connection of a client for whom
 * something is waiting (list-watch.md#fa-5).
 */
final class ChunkSink implements FrameSink {

    /** A copy that is made even when the budget is exhausted, in bytes. */
    static final int ASSURED = 16 * 1024;

    private final EndPoint client;
    private final Supplier<Chunk> chunks;
    private final MemoryBudget budget;

    /**
     * Whether Jetty has the rest of a portion; set before it gets it. A timeout that finds it just
     * finished may still close the connection of a client that took nothing for so long.
     */
    private volatile boolean writing;

    /** Set before the connection is closed, so that the failure of the write finds its cause. */
    private volatile @Nullable TimeoutException stall;

    private ChunkSink(EndPoint client, Supplier<Chunk> chunks, MemoryBudget budget) {
        this.budget = budget;
        this.client = client;
        this.chunks = chunks;
    }

    /**
     * Sends the headers of a watch, and returns where its frames go.
     *
     * @param chunks what the calling thread writes from
     * @throws IOException if the client is gone
     */
    static FrameSink begin(Exchange exchange, Supplier<Chunk> chunks) throws IOException {
        HttpServletResponse response = exchange.response();
        ServletContextRequest request =
                ServletContextRequest.getServletContextRequest(exchange.request());
        ConnectionMetaData connection = request.getConnectionMetaData();
        boolean chunked = connection.getHttpVersion() == HTTP_1_1;
        if (chunked) {
            // Also where the client asks for the connection to be closed afterwards.
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

    /** Nothing has moved for as long as Jetty's idle timeout; that alone is no fault of a watch. */
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
            // A part of the chunk is on its way, so nothing may follow it.
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
     * Acquires memory for what is to be sent later.
     *
     * @throws IOException if there is none
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
