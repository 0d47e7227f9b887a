package io.kubemirror.api.watch;

import static org.eclipse.jetty.http.HttpVersion.HTTP_1_1;
import static org.eclipse.jetty.http.HttpVersion.HTTP_2;

import module java.base;

import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.watch.WatchConnection.PendingWrite;
import io.kubemirror.model.MemoryBudget;

import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/**
 * Writes the frames of a watch as chunks of HTTP/1.1. Every chunk is complete with its last byte
 * (list-watch.md#wi-1, #wi-3). For protocols without chunks, it writes through Jetty's response.
 *
 * <p>Jetty ends a chunk only when the next one begins. Clients that read the closing line break of
 * a chunk immediately, such as urllib3 and the Python client, would therefore always be one event
 * behind. So once Jetty has sent the headers, this sink writes chunks directly to the connection.
 * Jetty writes the last, empty chunk. This also saves a copy of every frame.
 *
 * <p>The part that the socket accepts immediately is written from the thread's own chunk. If the
 * client is slow, the remainder is copied, and Jetty writes the copy when the socket accepts more.
 *
 * <p>Rejected: an unchunked stream that ends with its connection, because the API server does not
 * send one (list-watch.md#wi-1); and a blank as the next chunk, because it would precede the next
 * frame (list-watch.md#wi-2).
 *
 * <p>Jetty does not see these writes and would keep the connection of a client that accepts no
 * bytes open forever. This sink therefore handles Jetty's idle timeout and closes the connection if
 * a write is pending (list-watch.md#fa-5). A stream of HTTP/2 may be idle unless a write is
 * pending: after its first idle timeout, Jetty reports no cancellation of the stream, and after the
 * second it resets the stream.
 */
final class ChunkSink implements WatchConnection.FrameSink {

    /** For {@link Exchange#idleTimeout()}: for any time. */
    private static final long UNLIMITED = -1;

    /** The chunk of each thread that sends frames. */
    private static final ThreadLocal<Chunk> CHUNKS = ThreadLocal.withInitial(Chunk::new);

    private final EndPoint client;
    private final PendingWrite unsent;

    /** The response of a protocol without chunks, whose headers have been sent. */
    private final @Nullable Response unchunked;

    /** Sets the idle timeout of a stream of HTTP/2. Does nothing in other protocols. */
    private final LongConsumer idleTimeout;

    private ChunkSink(
            EndPoint client,
            MemoryBudget budget,
            @Nullable Response unchunked,
            LongConsumer idleTimeout) {
        this.client = client;
        this.unsent = new PendingWrite(budget);
        this.unchunked = unchunked;
        this.idleTimeout = idleTimeout;
    }

    /**
     * Sends the headers of a watch, and returns the sink for its frames.
     *
     * @throws IOException if the client has disconnected
     */
    static ChunkSink begin(Exchange exchange) throws IOException {
        HttpServletResponse response = exchange.response();
        ServletContextRequest request =
                ServletContextRequest.getServletContextRequest(exchange.request());
        ConnectionMetaData connection = request.getConnectionMetaData();
        HttpVersion version = connection.getHttpVersion();
        boolean chunked = version == HTTP_1_1;
        if (chunked) {
            // Also set if the client asks for the connection to be closed after the response.
            response.setHeader("Transfer-Encoding", "chunked");
        }
        response.flushBuffer();
        ChunkSink sink =
                new ChunkSink(
                        connection.getConnection().getEndPoint(),
                        exchange.memory().responses(),
                        chunked ? null : request.getServletContextResponse(),
                        version == HTTP_2 ? exchange.idleTimeout() : _ -> {});
        request.addIdleTimeoutListener(sink::stalled);
        sink.limitIdleTime();
        return sink;
    }

    /**
     * Handles Jetty's idle timeout. A watch without a pending write continues. Jetty itself ends
     * the pending writes that it sees, those without chunks.
     */
    private boolean stalled(TimeoutException timeout) {
        if (unchunked == null && unsent.expire(timeout)) {
            client.close(timeout);
        }
        return false;
    }

    @Override
    public boolean send(FrameBatch batch, Consumer<@Nullable IOException> later)
            throws IOException {
        if (unchunked != null) {
            Callback written =
                    unsent.begin(
                            batch.bytes(),
                            failure -> {
                                limitIdleTime();
                                later.accept(failure);
                            });
            ByteBuffer frames = allocate(batch.bytes(), written);
            batch.frames().forEach(frames::put);
            unchunked.write(false, frames.flip(), written);
            limitIdleTime();
            return false;
        }
        ByteBuffer chunk = CHUNKS.get().of(batch);
        if (flush(chunk)) {
            return true;
        }
        try {
            Callback written = unsent.begin(chunk.remaining(), later);
            client.write(written, allocate(chunk.remaining(), written).put(chunk).flip());
            return false;
        } catch (IOException exhausted) {
            // Part of the chunk has been written, so nothing else may follow on this connection.
            client.close(exhausted);
            throw exhausted;
        }
    }

    /**
     * Sets the idle timeout for the present state: each call after a write has begun or finished
     * may be the last, on any thread, in any order.
     */
    private synchronized void limitIdleTime() {
        idleTimeout.accept(unsent.isPending() ? client.getIdleTimeout() : UNLIMITED);
    }

    /** Returns what was charged if there is no memory after all. */
    private static ByteBuffer allocate(int size, Callback written) {
        try {
            return ByteBuffer.allocate(size);
        } catch (Error exhausted) {
            written.failed(exhausted);
            throw exhausted;
        }
    }

    @Override
    public void abort(Throwable cause) {
        if (unchunked == null) {
            client.close(cause);
        } else {
            Request.as(unchunked.getRequest(), ServletContextRequest.class)
                    .getServletChannel()
                    .abort(cause);
        }
    }

    /** Other streams of an HTTP/2 connection go on; the client opens new ones elsewhere. */
    @Override
    public void closeAfterEnd() {
        switch (client.getConnection()) {
            case HttpConnection own -> own.getGenerator().setPersistent(false);
            case HTTP2Connection shared -> {
                var _ = shared.getSession().shutdown();
            }
            default -> {}
        }
    }

    /**
     * Writes what the connection accepts without waiting. To a socket, the chunk is written
     * directly: Jetty's flush gathers buffers, which costs more than to write one.
     *
     * @return whether everything has been written
     */
    private boolean flush(ByteBuffer chunk) throws IOException {
        if (!(client instanceof SocketChannelEndPoint socket)) {
            return client.flush(chunk);
        }
        if (socket.getChannel().write(chunk) > 0) {
            socket.notIdle();
        }
        return !chunk.hasRemaining();
    }

    /**
     * Encodes a batch of frames as one chunk of HTTP/1.1 (RFC 9112, 7.1) in a direct buffer that
     * can be written to a socket.
     *
     * <p>Most watches are sent the same frames as the previous one, so the chunk is encoded again
     * only if the frames differ. Confined to one thread.
     */
    static final class Chunk {

        /**
         * Room for a full batch of the default size whose last object has a few kilobytes, and for
         * the chunk framing.
         */
        private static final int ROOM = (128 + 16) * 1024;

        private static final byte[] LINE_BREAK = {'\r', '\n'};

        /** The size of the chunk framing: the length in hexadecimal digits, and two line breaks. */
        private static final int AROUND = 2 * Integer.BYTES + 2 * LINE_BREAK.length;

        /** Allocated on first use, because large batches are never written from it. */
        private final Supplier<ByteBuffer> room =
                SingletonSupplier.of(() -> ByteBuffer.allocateDirect(ROOM));

        private ByteBuffer chunk = ByteBuffer.allocate(0);
        private List<byte[]> content = List.of();

        /** Returns the chunk of a batch. It must be written before this method is called again. */
        ByteBuffer of(FrameBatch batch) {
            if (!holds(batch.frames())) {
                fill(batch);
            }
            return chunk.rewind();
        }

        /**
         * Compares by identity because frames are shared; comparing bytes would cost as much as
         * copying them.
         */
        @SuppressWarnings("ReferenceEquality")
        private boolean holds(List<byte[]> frames) {
            int count = content.size();
            if (count != frames.size()) {
                return false;
            }
            for (int i = 0; i < count; i++) {
                if (content.get(i) != frames.get(i)) {
                    return false;
                }
            }
            return true;
        }

        private void fill(FrameBatch batch) {
            // An error leaves no chunk of these frames.
            content = List.of();
            int needed = batch.bytes() + AROUND;
            chunk = needed <= ROOM ? room.get().clear() : ByteBuffer.allocate(needed);
            String size = Integer.toHexString(batch.bytes());
            chunk.put(size.getBytes(StandardCharsets.US_ASCII)).put(LINE_BREAK);
            batch.frames().forEach(chunk::put);
            chunk.put(LINE_BREAK).flip();
            content = batch.frames();
        }
    }
}
