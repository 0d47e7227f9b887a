package io.kubemirror.api.passthrough;

import io.kubemirror.upstream.PassThroughApi.RequestContent;

import jakarta.servlet.http.HttpServletRequest;

import java.io.ByteArrayInputStream;
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

    private final InputStream client;
    private final long length;
    private final boolean repeatable;
    private final Runnable read;
    private boolean broken;
    private boolean begun;

    private ClientContent(InputStream client, long length, boolean repeatable, Runnable read) {
        this.client = client;
        this.length = length;
        this.repeatable = repeatable;
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
            return new ClientContent(request.getInputStream(), length, false, read);
        }
        byte[] bytes = request.getInputStream().readNBytes((int) length);
        if (bytes.length < length) {
            throw new IOException("the body of the request is incomplete");
        }
        read.run();
        return new ClientContent(new ByteArrayInputStream(bytes), length, true, () -> {});
    }

    /** Whether a request has a body. */
    static boolean isIn(HttpServletRequest request) {
        return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
    }

    /** Whether the client has disconnected before the end of the body. */
    boolean isBroken() {
        return broken;
    }

    /** Whether any of the body may have been sent. */
    boolean isBegun() {
        return begun;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public boolean isRepeatable() {
        return repeatable;
    }

    @Override
    public void writeTo(OutputStream server) throws IOException {
        begun = true;
        if (repeatable) {
            client.reset();
        }
        byte[] buffer = new byte[BUFFER];
        int count = next(buffer);
        while (count >= 0) {
            server.write(buffer, 0, count);
            if (client.available() == 0) {
                server.flush();
            }
            count = next(buffer);
        }
        read.run();
    }

    private int next(byte[] buffer) throws IOException {
        try {
            return client.read(buffer);
        } catch (IOException gone) {
            broken = true;
            throw gone;
        }
    }
}
