package io.kubemirror.feature.forward;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.Reply;
import io.kubemirror.model.Status;

import jakarta.servlet.http.HttpServletRequest;

import okhttp3.MediaType;
import okhttp3.RequestBody;

import okio.BufferedSink;

import org.apache.commons.io.input.ProxyInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The body of a client's request, read while it is sent on.
 *
 * <p>A small body is read at once, so that the request can be repeated with renewed credentials. A
 * client that sends next to nothing is refused ({@link ClientMemory#isTooSlow}), since its request
 * holds memory before anybody knows who it is. Confined to one thread at a time.
 */
final class ClientContent extends RequestBody {

    /** The size up to which a body is kept, in bytes. */
    private static final int SMALL = 16 * 1024;

    private static final int BUFFER = 16 * 1024;

    /** The response to a client that sends the body too slowly. */
    private static final Reply TOO_SLOW =
            Reply.of(
                            new Status(
                                    408,
                                    Status.reason(408),
                                    "the body of the request arrives at fewer than "
                                            + ClientMemory.MIN_RATE
                                            + " bytes per second",
                                    null))
                    .with("Connection", "close");

    private final HttpServletRequest client;
    private final LongSupplier nanos;
    private final long length;

    /** What has been read of the body: all of it if the length is known, else its beginning. */
    private final byte[] beginning;

    private final Runnable read;
    private boolean begun;
    private @Nullable IOException broken;

    private ClientContent(
            HttpServletRequest client, LongSupplier nanos, byte[] beginning, Runnable read) {
        this.client = client;
        this.nanos = nanos;
        this.length = client.getContentLengthLong();
        this.beginning = beginning;
        this.read = read;
    }

    /**
     * Returns the body of a request, null if it has none. Waits for the beginning of a body whose
     * length is not known, because no header announces it over HTTP/2.
     *
     * @param read called when all of it has been read
     * @param nanos a monotonic clock in nanoseconds
     * @throws IOException if the client has disconnected
     */
    static @Nullable ClientContent of(HttpServletRequest request, Runnable read, LongSupplier nanos)
            throws Rejection, IOException {
        long length = request.getContentLengthLong();
        if (length == 0) {
            return null;
        }
        // Reading asks a client for the body that waits for the server's consent.
        boolean later = length > SMALL || request.getHeader("Expect") != null;
        try {
            byte @Nullable [] beginning =
                    later ? new byte[0] : beginning(new TimedBody(request, nanos), length);
            if (beginning == null) {
                return null;
            }
            if (beginning.length == length) {
                read.run();
            }
            return new ClientContent(request, nanos, beginning, read);
        } catch (SlowClientException slow) {
            throw new Rejection(TOO_SLOW);
        }
    }

    private static byte @Nullable [] beginning(InputStream input, long length) throws IOException {
        if (length < 0) {
            byte[] buffer = new byte[BUFFER];
            int count = input.read(buffer);
            return count < 0 ? null : Arrays.copyOf(buffer, count);
        }
        byte[] whole = input.readNBytes((int) length);
        if (whole.length < length) {
            throw new IOException("the body of the request is incomplete");
        }
        return whole;
    }

    /**
     * Checks that the body has not ended early.
     *
     * @throws Rejection if the client sends it too slowly
     * @throws IOException if the client has disconnected
     */
    void requireWhole() throws Rejection, IOException {
        if (broken instanceof SlowClientException) {
            throw new Rejection(TOO_SLOW);
        } else if (broken != null) {
            throw broken;
        }
    }

    /** The client has named it in a header. */
    @Override
    public @Nullable MediaType contentType() {
        return null;
    }

    @Override
    public long contentLength() {
        return length;
    }

    @Override
    public boolean isOneShot() {
        return beginning.length != length;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
        OutputStream server = sink.outputStream();
        server.write(beginning);
        if (!isOneShot()) {
            return;
        }
        if (begun) {
            throw new IOException("the credentials of kubemirror were renewed, please try again");
        }
        begun = true;
        InputStream input = new TimedBody(client, nanos);
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
            broken = gone;
            throw gone;
        }
    }

    /** The body as it arrives. Only the time counts in which it is waited for. */
    private static final class TimedBody extends ProxyInputStream {

        private final LongSupplier nanos;
        private long asked;
        private long waited;
        private long received;

        TimedBody(HttpServletRequest client, LongSupplier nanos) throws IOException {
            super(client.getInputStream());
            this.nanos = nanos;
        }

        @Override
        protected void beforeRead(int length) {
            asked = nanos.getAsLong();
        }

        @Override
        protected void afterRead(int count) throws IOException {
            waited += nanos.getAsLong() - asked;
            received += count;
            if (count >= 0 && ClientMemory.isTooSlow(waited, received)) {
                throw new SlowClientException();
            }
        }
    }

    /** A client that sends next to nothing. */
    private static final class SlowClientException extends IOException {

        private static final long serialVersionUID = 1L;
    }
}
