package io.kubemirror.web;

import static org.eclipse.jetty.http.HttpVersion.HTTP_1_1;

import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Blocker;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeoutException;

/**
 * The frames of a watch as chunks of HTTP/1.1, each complete with its last byte (WI-1, WI-3).
 *
 * <p>Jetty ends a chunk only where the next begins. Clients that read a chunk's closing line break
 * at once, urllib3 and with it the Python client among them, would therefore always be one event
 * behind. So once Jetty has sent the headers, chunks are written past it; the last, empty one comes
 * from Jetty again. That also spares a copy of every frame.
 *
 * <p>Rejected: an unchunked stream that ends with its connection, which the API server does not
 * send (WI-1); and a blank as the next chunk, which would stand before the next frame (WI-2).
 *
 * <p>Jetty does not see these writes, so it would let a client that takes no byte of them block its
 * thread for ever. Its idle timeout is therefore listened to, and ends the connection of a client
 * for whom something is waiting (FA-5).
 */
final class ChunkSink implements Sink {

    private static final byte[] LINE_BREAK = {'\r', '\n'};

    private final EndPoint client;
    private final WatchMeters.Meter meter;
    private volatile boolean writing;
    private volatile @Nullable TimeoutException stall;

    private ChunkSink(EndPoint client, WatchMeters.Meter meter) {
        this.client = client;
        this.meter = meter;
    }

    /** Sends the headers of a watch, and returns where its frames go. */
    static Sink begin(Exchange exchange, WatchMeters.Meter meter) throws IOException {
        HttpServletResponse response = exchange.response();
        Request request = ServletContextRequest.getServletContextRequest(exchange.request());
        ConnectionMetaData connection = request.getConnectionMetaData();
        boolean chunked = connection.getHttpVersion() == HTTP_1_1;
        if (chunked) {
            // Also where the client asks for the connection to be closed afterwards.
            response.setHeader("Transfer-Encoding", "chunked");
        }
        response.flushBuffer();
        if (!chunked) {
            return new ResponseSink(response.getOutputStream(), meter);
        }
        ChunkSink sink = new ChunkSink(connection.getConnection().getEndPoint(), meter);
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
    public void send(byte[] frames, int events) throws IOException {
        byte[] size =
                (Integer.toHexString(frames.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        writing = true;
        try (Blocker.Callback written = Blocker.callback()) {
            client.write(
                    written,
                    ByteBuffer.wrap(size),
                    ByteBuffer.wrap(frames),
                    ByteBuffer.wrap(LINE_BREAK));
            written.block();
        } catch (IOException broken) {
            throw stall == null ? broken : new IOException("the client takes nothing", stall);
        } finally {
            writing = false;
        }
        meter.delivered(events, frames.length);
    }
}
