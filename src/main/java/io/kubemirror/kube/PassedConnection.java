package io.kubemirror.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.kube.PassThroughApi.PassedRequest;
import io.kubemirror.kube.PassThroughApi.RequestContent;

import org.jspecify.annotations.Nullable;

/**
 * A connection to the API server that carries one request of HTTP/1.1 at a time.
 *
 * <p>It is not used again unless its response has told where it ends, nothing was left of it, and
 * nothing has followed: an answer never reaches another client. Rejected: OkHttp, which takes what
 * follows a response for the next one.
 *
 * <p>Confined to the thread of a request, but for {@link #cut}.
 */
final class PassedConnection {

    private static final byte[] LINE_BREAK = {'\r', '\n'};

    /** Methods whose requests have a length also if they have no body. */
    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    /** What {@link #writeHead} sends itself, in lower case. */
    private static final Set<String> OWN =
            Set.of(
                    "host",
                    "content-length",
                    "transfer-encoding",
                    "connection",
                    "upgrade",
                    "expect");

    /** Whose requests it carries; no other's. */
    private final String identity;

    /** The connection without TLS, by which it is closed. */
    private final Socket raw;

    private final Socket socket;
    private final Input input;
    private final OutputStream output;
    private long usedAt = System.nanoTime();
    private boolean fresh = true;

    /** The end of the input, of which some has been read ahead. */
    private static final class Input extends BufferedInputStream {

        Input(InputStream socket) {
            super(socket);
        }

        synchronized int buffered() {
            return count - pos;
        }
    }

    /**
     * Creates a connection that has not been used.
     *
     * @param raw the connection to the server or a proxy
     * @param socket the same with TLS, or the same
     */
    PassedConnection(String identity, Socket raw, Socket socket) throws IOException {
        this.identity = identity;
        this.raw = raw;
        this.socket = socket;
        this.input = new Input(socket.getInputStream());
        this.output = new BufferedOutputStream(socket.getOutputStream());
    }

    String identity() {
        return identity;
    }

    /** Whether it has carried no request yet. */
    boolean isFresh() {
        return fresh;
    }

    /** Returns the time in nanoseconds for which no request has used it. */
    long idle() {
        return System.nanoTime() - usedAt;
    }

    InputStream input() {
        return input;
    }

    /** Returns what was not asked for: bytes after a response, which may be those of another. */
    boolean hasInput() throws IOException {
        return input.buffered() > 0
                || socket.getInputStream().available() > 0
                || raw.getInputStream().available() > 0;
    }

    /** Returns whether the server has closed it or has sent something. Takes a millisecond. */
    boolean isClosed() {
        try {
            socket.setSoTimeout(1);
            var _ = input.read();
            return true;
        } catch (SocketTimeoutException silent) {
            return false;
        } catch (IOException broken) {
            return true;
        }
    }

    /** Closes it at once. May be called from any thread, and more than once. */
    void cut() {
        try {
            raw.close();
        } catch (IOException closed) {
            // Nothing depends on how it ends.
        }
    }

    /** Marks the beginning of a request that may be silent for some time. */
    void begin(Duration silence) throws IOException {
        fresh = false;
        socket.setSoTimeout(Math.toIntExact(silence.toMillis()));
    }

    /** Marks the end of a request. */
    void end() {
        usedAt = System.nanoTime();
    }

    /**
     * Sends the head of a request.
     *
     * @param host the value of the header
     * @param target path and query, escaped
     * @return the head of the response, if the server does not want the body; null otherwise
     * @throws IllegalArgumentException if a header has characters that end it
     */
    @Nullable PassedHead writeHead(PassedRequest request, String host, String target)
            throws IOException {
        StringBuilder head = new StringBuilder(256);
        head.append(request.method()).append(' ').append(target).append(" HTTP/1.1\r\n");
        add(head, "Host", host);
        request.headers()
                .forEach(
                        (name, values) -> {
                            if (!OWN.contains(name.toLowerCase(Locale.ROOT))) {
                                values.forEach(value -> add(head, name, value));
                            }
                        });
        if (request.upgrade() != null) {
            add(head, "Connection", "Upgrade");
            add(head, "Upgrade", request.upgrade());
        }
        RequestContent content = request.body();
        if (content != null && content.length() < 0) {
            add(head, "Transfer-Encoding", "chunked");
        } else if (content != null || WITH_BODY.contains(request.method())) {
            add(head, "Content-Length", Long.toString(content == null ? 0 : content.length()));
        }
        boolean asks = content != null && request.headers().containsKey("Expect");
        if (asks) {
            add(head, "Expect", "100-continue");
        }
        output.write(head.append("\r\n").toString().getBytes(UTF_8));
        if (!asks) {
            return null;
        }
        output.flush();
        PassedHead first = PassedHead.readAny(input);
        return first.code() == 100 ? null : first;
    }

    /** Sends the body of a request, if there is one. */
    void writeBody(PassedRequest request) throws IOException {
        RequestContent content = request.body();
        if (content != null) {
            write(content, request.silence());
        }
        output.flush();
    }

    private static void add(StringBuilder head, String name, String value) {
        boolean ends = (name + value).chars().anyMatch(c -> (c < ' ' && c != '\t') || c == 0x7f);
        if (ends) {
            throw new IllegalArgumentException("a header cannot be passed on");
        }
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private void write(RequestContent content, Duration silence) throws IOException {
        if (content.isRepeatable()) {
            // It fits into the buffers of an idle connection.
            content.writeTo(output);
            return;
        }
        // The client gets what it waits for.
        output.flush();
        try (LimitedOutput limited = new LimitedOutput(silence)) {
            if (content.length() >= 0) {
                content.writeTo(limited);
            } else {
                content.writeTo(new ChunkedOutput(limited));
                limited.write("0\r\n\r\n".getBytes(UTF_8));
            }
            limited.flush();
        }
    }

    /** Cuts the connection of a server that does not read. */
    private final class LimitedOutput extends FilterOutputStream {

        private final long limit;

        /** When the write in progress has begun, 0 for none. Written by the writer. */
        private volatile long begun;

        private volatile boolean over;

        LimitedOutput(Duration silence) {
            super(output);
            this.limit = silence.toNanos();
            check();
        }

        private void check() {
            long since = begun;
            if (since != 0 && System.nanoTime() - since > limit) {
                cut();
            } else if (!over) {
                CompletableFuture.delayedExecutor(limit, TimeUnit.NANOSECONDS, Runnable::run)
                        .execute(this::check);
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            begun = System.nanoTime();
            out.write(bytes, offset, length);
            begun = 0;
        }

        @Override
        public void flush() throws IOException {
            begun = System.nanoTime();
            out.flush();
            begun = 0;
        }

        @Override
        public void close() {
            over = true;
        }
    }

    /** Writes chunks. */
    private static final class ChunkedOutput extends FilterOutputStream {

        ChunkedOutput(OutputStream output) {
            super(output);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (length > 0) {
                out.write((Integer.toHexString(length) + "\r\n").getBytes(UTF_8));
                out.write(bytes, offset, length);
                out.write(LINE_BREAK);
            }
        }
    }

    /** The connection after a change of the protocol. */
    PassThroughApi.ByteTunnel tunnel() {
        return new PassThroughApi.ByteTunnel() {

            @Override
            public InputStream input() {
                return input;
            }

            @Override
            public OutputStream output() {
                return new FilterOutputStream(output) {

                    @Override
                    public void write(byte[] bytes, int offset, int length) throws IOException {
                        out.write(bytes, offset, length);
                    }

                    @Override
                    public void close() throws IOException {
                        out.flush();
                        socket.shutdownOutput();
                    }
                };
            }

            @Override
            public void cancel() {
                cut();
            }
        };
    }

    /** Lets the server be silent for any time. */
    void endLimits() throws IOException {
        socket.setSoTimeout(0);
    }
}
