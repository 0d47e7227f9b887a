package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.kube.PassThroughApi.RequestContent;

import jakarta.servlet.http.HttpServletRequest;

import org.jspecify.annotations.Nullable;

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

    /** What has been read of the body: all of it if the length is known, else its beginning. */
    private final byte[] beginning;

    private final Runnable read;
    private boolean broken;

    private ClientContent(HttpServletRequest client, long length, byte[] beginning, Runnable read) {
        this.client = client;
        this.length = length;
        this.beginning = beginning;
        this.read = read;
    }

    /**
     * Returns the body of a request, null if it has none. Waits for the beginning of a body whose
     * length is not known, because no header announces it over HTTP/2.
     *
     * @param read called when all of it has been read
     * @throws IOException if the client has disconnected
     */
    static @Nullable ClientContent of(HttpServletRequest request, Runnable read)
            throws IOException {
        long length = request.getContentLengthLong();
        if (length == 0) {
            return null;
        }
        // Reading asks a client for the body that waits for the server's consent.
        boolean later = length > SMALL || request.getHeader("Expect") != null;
        if (later) {
            return new ClientContent(request, length, new byte[0], read);
        }
        InputStream input = request.getInputStream();
        if (length < 0) {
            byte[] buffer = new byte[BUFFER];
            int count = input.read(buffer);
            return count < 0
                    ? null
                    : new ClientContent(request, length, Arrays.copyOf(buffer, count), read);
        }
        byte[] whole = input.readNBytes((int) length);
        if (whole.length < length) {
            throw new IOException("the body of the request is incomplete");
        }
        read.run();
        return new ClientContent(request, length, whole, read);
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
        return beginning.length == length;
    }

    @Override
    public void writeTo(OutputStream server) throws IOException {
        server.write(beginning);
        if (isRepeatable()) {
            return;
        }
        InputStream input = client.getInputStream();
        byte[] buffer = new byte[BUFFER];
        int count = 0;
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
