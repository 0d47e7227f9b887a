package io.kubemirror.feature.forward;

import static org.eclipse.jetty.http.HttpVersion.HTTP_1_1;

import module java.base;

import io.kubemirror.api.http.Exchange;

import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Blocker;

/**
 * Sends the body of a response to a client, and blocks until the socket has accepted it.
 *
 * <p>A body of unknown length is written in chunks of HTTP/1.1 past Jetty, each of them complete
 * with its last byte, as those of watches are: Jetty would end a chunk only when the next one
 * begins.
 */
final class ResponseSink {

    private static final byte[] LINE_BREAK = {'\r', '\n'};

    private final EndPoint client;
    private final OutputStream output;
    private final boolean chunked;

    private ResponseSink(EndPoint client, OutputStream output, boolean chunked) {
        this.client = client;
        this.output = output;
        this.chunked = chunked;
    }

    /**
     * Sends a response, whose status and headers have been set, at once.
     *
     * @param body the whole body
     * @param writing whether a write is in progress, which Jetty's idle timeout does not see; read
     *     by any thread
     * @throws IOException if the client has disconnected
     */
    static void send(Exchange exchange, byte[] body, BooleanSupplier writing) throws IOException {
        HttpServletResponse response = exchange.response();
        response.setContentLength(body.length);
        closeIfStalled(exchange, writing);
        // Jetty sends the head together with the last of the body.
        response.getOutputStream().write(body);
        response.flushBuffer();
    }

    /**
     * Sends the head of the response, whose status and headers have been set.
     *
     * @param length the length of the body, -1 if it is not known
     * @param empty whether there is no body, whatever its length
     * @param writing as in {@link #send}
     * @throws IOException if the client has disconnected
     */
    static ResponseSink begin(
            Exchange exchange, long length, boolean empty, BooleanSupplier writing)
            throws IOException {
        HttpServletResponse response = exchange.response();
        ServletContextRequest request =
                ServletContextRequest.getServletContextRequest(exchange.request());
        boolean chunked =
                !empty
                        && length < 0
                        && request.getConnectionMetaData().getHttpVersion() == HTTP_1_1;
        if (chunked) {
            // Also set if the client asks for the connection to be closed after the response.
            response.setHeader("Transfer-Encoding", "chunked");
        } else if (length >= 0) {
            response.setContentLengthLong(length);
        }
        ResponseSink sink =
                new ResponseSink(
                        Exchange.endPoint(exchange.request()), response.getOutputStream(), chunked);
        closeIfStalled(exchange, writing);
        response.flushBuffer();
        return sink;
    }

    /** Handles Jetty's idle timeout. A response that waits for the server continues. */
    private static void closeIfStalled(Exchange exchange, BooleanSupplier writing) {
        ServletContextRequest.getServletContextRequest(exchange.request())
                .addIdleTimeoutListener(
                        _ -> {
                            if (writing.getAsBoolean()) {
                                exchange.abort();
                            }
                            return false;
                        });
    }

    /**
     * Sends a part of the body. An empty chunk would be the last one.
     *
     * @param more whether more is about to follow, so that this part need not be sent immediately
     */
    void write(byte[] bytes, int count, boolean more) throws IOException {
        if (chunked && count > 0) {
            byte[] size = (Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            try (Blocker.Callback written = Blocker.callback()) {
                client.write(
                        written,
                        ByteBuffer.wrap(size),
                        ByteBuffer.wrap(bytes, 0, count),
                        ByteBuffer.wrap(LINE_BREAK));
                written.block();
            }
        } else if (!chunked) {
            output.write(bytes, 0, count);
            if (!more) {
                output.flush();
            }
        }
    }
}
