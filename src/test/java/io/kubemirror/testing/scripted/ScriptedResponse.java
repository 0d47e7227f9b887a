package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.model.Status;
import io.kubemirror.testing.JsonTrees;

import tools.jackson.databind.node.ObjectNode;

/**
 * The answer to one request: one body, a stream of chunks, or nothing at all. Written by one
 * thread; {@link #cut} may be called by any.
 */
final class ScriptedResponse {

    /** Bodies above this are compressed for clients that take it (list-watch.md#en-9). */
    private static final int COMPRESSED_FROM = 131_072;

    private final HttpConnection connection;
    private final InputStream in;
    private final OutputStream out;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private long allowance = Long.MAX_VALUE;
    private boolean compresses;
    private volatile boolean leavesOpen = true;

    ScriptedResponse(HttpConnection connection, InputStream in, OutputStream out) {
        this.connection = connection;
        this.in = in;
        this.out = out;
        headers.put("Cache-Control", "no-cache, private");
    }

    /** Whether another request may follow on the connection. */
    boolean leavesOpen() {
        return leavesOpen;
    }

    /** The connection will be cut after that many bytes of the body. */
    void allow(long bytes) {
        allowance = bytes;
    }

    /**
     * The stream will be compressed, one gzip member per flush, as 1.37 servers do
     * (list-watch.md#en-9).
     */
    void compress() {
        compresses = true;
    }

    ScriptedResponse header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Cuts the connection. */
    void cut() {
        leavesOpen = false;
        connection.cut();
    }

    /** Ends the connection as a dying process would: FIN, but no final chunk. */
    void breakOff() {
        leavesOpen = false;
        connection.close();
    }

    void json(int code, ObjectNode body) throws IOException {
        send(code, "application/json", JsonTrees.text(body) + "\n");
    }

    void status(Status status) throws IOException {
        if (status.retryAfterSeconds() > 0) {
            header("Retry-After", Integer.toString(status.retryAfterSeconds()));
        }
        json(status.code(), (ObjectNode) GoJson.tree(GoJson.status(status)));
    }

    void send(int code, String contentType, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        header("Content-Type", contentType).header("Content-Length", "" + bytes.length);
        head(code);
        content(bytes);
        out.flush();
    }

    /** Sends a body that may be large, compressed where the client takes it. */
    void large(ReceivedRequest request, ObjectNode body) throws IOException {
        String text = JsonTrees.text(body) + "\n";
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        boolean accepted = request.header("Accept-Encoding").contains("gzip");
        if (bytes.length <= COMPRESSED_FROM || !accepted) {
            send(200, "application/json", text);
            return;
        }
        byte[] compressed = gzip(bytes);
        header("Content-Encoding", "gzip").header("Vary", "Accept-Encoding");
        header("Content-Type", "application/json");
        header("Content-Length", "" + compressed.length);
        head(200);
        content(compressed);
        out.flush();
    }

    /** Begins a stream and reports when the client closes its side. */
    void begin(Runnable onClosed) throws IOException {
        header("Content-Type", "application/json").header("Transfer-Encoding", "chunked");
        header("Connection", "close");
        if (compresses) {
            header("Content-Encoding", "gzip");
        }
        head(200);
        out.flush();
        Thread.ofVirtual().start(() -> awaitClose(onClosed));
    }

    private void awaitClose(Runnable onClosed) {
        try {
            in.read();
        } catch (IOException e) {
            // The connection broke, which is what is waited for.
            leavesOpen = false;
        }
        onClosed.run();
    }

    /** Writes a chunk and flushes. */
    void chunk(String text) throws IOException {
        byte[] plain = text.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = compresses ? gzip(plain) : plain;
        out.write((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        content(bytes);
        out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    /** Ends the stream properly; the connection is closed, since its reader is in use. */
    void end() throws IOException {
        out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.flush();
        breakOff();
    }

    private void head(int code) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 ").append(code).append(" -\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        out.write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
    }

    private void content(byte[] bytes) throws IOException {
        int count = (int) Math.min(allowance, bytes.length);
        allowance -= count;
        out.write(bytes, 0, count);
        if (count < bytes.length) {
            out.flush();
            breakOff();
            throw new IOException("cut on command");
        }
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(plain);
        }
        return compressed.toByteArray();
    }
}
