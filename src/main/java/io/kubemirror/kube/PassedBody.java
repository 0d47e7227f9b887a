package io.kubemirror.kube;

import module java.base;

import io.kubemirror.kube.PassThroughApi.ByteTunnel;
import io.kubemirror.kube.PassThroughApi.PassedResponse;
import io.kubemirror.kube.PassedHead.LineReader;

import org.jspecify.annotations.Nullable;

/** A response on its connection. Confined to one thread, but for {@link #close}. */
final class PassedBody extends InputStream implements PassedResponse {

    private final PassedConnection connection;
    private final PassedHead head;
    private final Consumer<PassedConnection> reusable;

    /** What is left of the body, or of the chunk. */
    private long left;

    private final long length;
    private boolean begun;
    private volatile boolean complete;

    /**
     * Creates a response whose body has not been read.
     *
     * @param length the length, as {@link PassedHead} tells it
     * @param reusable receives the connection when another request may follow
     */
    PassedBody(
            PassedConnection connection,
            PassedHead head,
            long length,
            Consumer<PassedConnection> reusable) {
        this.connection = connection;
        this.head = head;
        this.length = length;
        this.left = length < 0 ? 0 : length;
        this.reusable = reusable;
        if (length == 0) {
            complete();
        }
    }

    private void complete() {
        if (!complete && head.code() != 101) {
            complete = true;
            connection.end();
            reusable.accept(connection);
        }
    }

    @Override
    public int code() {
        return head.code();
    }

    @Override
    public Map<String, List<String>> headers() {
        return head.headers();
    }

    @Override
    public InputStream body() {
        return this;
    }

    @Override
    public @Nullable ByteTunnel tunnel() {
        return head.code() == 101 ? connection.tunnel() : null;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        if (complete || count == 0) {
            return complete ? -1 : 0;
        }
        if (length == PassedHead.UNTIL_CLOSED) {
            int read = connection.input().read(bytes, offset, count);
            if (read < 0) {
                complete();
            }
            return read;
        }
        if (left == 0) {
            left = nextChunk();
            if (left == 0) {
                complete();
                return -1;
            }
        }
        int read = connection.input().read(bytes, offset, (int) Math.min(count, left));
        if (read < 0) {
            throw new EOFException("the response is incomplete");
        }
        left -= read;
        if (left == 0 && length >= 0) {
            complete();
        }
        return read;
    }

    /** Returns the size of the next chunk, 0 after the last one and its trailers. */
    private long nextChunk() throws IOException {
        LineReader lines = new LineReader(connection.input());
        if (begun && !lines.next().isEmpty()) {
            throw new ProtocolException("a chunk is malformed");
        }
        begun = true;
        String size = lines.next().split(";", 2)[0].strip();
        if (!size.matches("[0-9a-fA-F]{1,15}")) {
            throw new ProtocolException("a chunk is malformed");
        }
        long next = Long.parseLong(size, 16);
        if (next == 0) {
            while (!lines.next().isEmpty()) {
                // Trailers are dropped.
            }
        }
        return next;
    }

    @Override
    public int available() throws IOException {
        // The connection of a complete response may be closed, or carry the next request.
        return complete ? 0 : (int) Math.min(left, connection.input().available());
    }

    @Override
    public void close() {
        if (!complete) {
            connection.cut();
        }
    }
}
