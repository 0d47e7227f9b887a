package io.kubemirror.api.passthrough;

import io.kubemirror.upstream.PassThroughApi.RequestContent;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The body of a client's request, read while it is sent on.
 *
 * <p>A small body is read at once, so that the request can be repeated with renewed credentials.
 * Confined to one thread at a time.
 */
final class ClientContent implements RequestContent {

    /** The size up to which a body is kept, in bytes. */
    private static final int SMALL = 16 * 1024;

    private static final int BUFFER = 16 * 1024;

    private final HttpServletRequest client;
    private final long length;

    /** The whole body if it is small, null otherwise. */
    private final byte @Nullable [] whole;

    private final Runnable read;
    private boolean broken;

    private ClientContent(
            HttpServletRequest client, long length, byte @Nullable [] whole, Runnable read) {
        this.client = client;
        this.length = length;
        this.whole = whole;
        this.read = read;
    }

    /**
     * Returns the body of a request.
     *
     * @param read called when all of it has been read
     * @throws IOException if the client has disconnected
     */
    static ClientContent of(HttpServletRequest request, Runnable read) throws IOException {
        long length = request.getContentLengthLong();
        boolean small = length >= 0 && length <= SMALL && request.getHeader("Expect") == null;
        if (!small) {
            return new ClientContent(request, length, null, read);
        }
        byte[] bytes = request.getInputStream().readNBytes((int) length);
        if (bytes.length < length) {
            throw new IOException("the body of the request is incomplete");
        }
        read.run();
        return new ClientContent(request, length, bytes, read);
    }

    /** Whether a request has a body. */
    static boolean isIn(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    /** Whether the client has disconnected before the end of the body. */
    boolean isBroken() {
        return broken;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isRepeatable() {
        return whole != null;
    }

    @Override
    public void writeTo(OutputStream server) throws IOException {
        if (whole != null) {
            server.write(whole);
            return;
        }
        // Asks a client for the body that waits for the server's consent, so not earlier.
        InputStream input = client.getInputStream();
        byte[] buffer = new byte[BUFFER];
        int count = next(input, buffer);
        while (count >= 0) {
            server.write(buffer, 0, count);
            if (input.available() == 0) {
                server.flush();
            }
            count = next(input, buffer);
        }
        read.run();
    }

    private int next(InputStream input, byte[] buffer) throws IOException {
        try {
            return input.read(buffer);
        } catch (IOException gone) {
            broken = true;
            throw gone;
        }
    }
}
