package io.kubemirror.api.encode;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Indenter;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Sends documents in the form that the client requests: indented (list-watch.md#ne-12), compressed
 * (list-watch.md#en-9), or not at all if the client already has the document.
 *
 * <p>A small body is sent with its length, a large one in chunks while it is encoded. The size is
 * determined by encoding the body twice. The first pass only counts bytes, and stops as soon as the
 * body is known to be large. A slow client thus holds one buffer and no part of the remaining body,
 * regardless of its size. Bodies that fit into the buffer are encoded once.
 *
 * <p>Compression needs memory outside the heap for as long as the client reads. If the budget has
 * no room, the body is sent uncompressed.
 */
public final class ResponseWriter {

    /** The maximum size of an uncompressed body, in bytes. */
    public static final int THRESHOLD = 128 * 1024;

    /** The memory of a compressor in bytes, nearly all of it outside the heap. */
    static final int COMPRESSION = 300 * 1024;

    private final HttpServletResponse response;
    private final boolean compressible;
    private final @Nullable EntityTag tag;
    private final ClientMemory memory;
    private final SharedBodies bodies;

    private ResponseWriter(
            HttpServletResponse response,
            boolean compressible,
            @Nullable EntityTag tag,
            ClientMemory memory,
            SharedBodies bodies) {
        this.response = response;
        this.compressible = compressible;
        this.tag = tag;
        this.memory = memory;
        this.bodies = bodies;
    }

    /**
     * Sends a document, or 304 if the client already has it.
     *
     * @param indented whether to indent the document
     * @param tag the entity tag of the document, null for none
     * @param bodies what clients of the same document share
     * @throws IOException if the client has disconnected
     */
    public static void send(
            JsonDocument document,
            boolean indented,
            @Nullable EntityTag tag,
            Exchange exchange,
            SharedBodies bodies)
            throws IOException {
        HttpServletResponse response = exchange.response();
        boolean compressible = takesGzip(exchange.request());
        List<String> conditions = Collections.list(exchange.request().getHeaders("If-None-Match"));
        Optional<String> known =
                Optional.ofNullable(tag).flatMap(name -> name.known(conditions, compressible));
        if (known.isPresent()) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            response.setHeader("ETag", known.get());
            return;
        }
        response.setContentType("application/json");
        new ResponseWriter(response, compressible, tag, exchange.memory(), bodies)
                .send(indented ? out -> document.write(new Indenter(out)) : document);
    }

    /** Returns whether the client accepts gzip. Like the API server, looks for the bare word. */
    public static boolean takesGzip(HttpServletRequest request) {
        return Collections.list(request.getHeaders("Accept-Encoding")).stream()
                .flatMap(header -> Arrays.stream(header.split(",", -1)))
                .anyMatch(coding -> coding.trim().equals("gzip"));
    }

    /**
     * Sends the body.
     *
     * @throws IOException if the client has disconnected; the response must not look complete in
     *     that case
     */
    private void send(JsonDocument document) throws IOException {
        Measure measure = new Measure();
        try {
            document.write(measure);
        } catch (Measure.LargeException large) {
            sendLarge(document);
            return;
        }
        mark(false);
        response.setContentLength(measure.size);
        if (measure.size <= ResponseBuffer.SMALL) {
            measure.beginning.writeTo(response.getOutputStream());
        } else {
            write(document, response.getOutputStream());
        }
    }

    private void sendLarge(JsonDocument document) throws IOException {
        if (!compressible || tag == null) {
            sendAlone(document);
            return;
        }
        try (SharedBodies.Body joined = bodies.join(tag)) {
            List<byte[]> parts = joined.parts(out -> compress(document, out));
            if (parts == null) {
                sendAlone(document);
                return;
            }
            try {
                mark(true);
                markCompressed();
                write(out -> writeAll(parts, out), response.getOutputStream());
            } finally {
                joined.release();
            }
        }
    }

    private static void writeAll(List<byte[]> parts, OutputStream out) throws IOException {
        for (byte[] part : parts) {
            out.write(part);
        }
    }

    private void sendAlone(JsonDocument document) throws IOException {
        boolean compressed = compressible && memory.responses().tryAcquire(COMPRESSION);
        mark(compressed);
        if (!compressed) {
            write(document, response.getOutputStream());
            return;
        }
        markCompressed();
        try {
            compress(document, response.getOutputStream());
        } finally {
            memory.responses().release(COMPRESSION);
        }
    }

    private void markCompressed() {
        response.setHeader("Content-Encoding", "gzip");
        response.addHeader("Vary", "Accept-Encoding");
    }

    private void compress(JsonDocument document, OutputStream out) throws IOException {
        FastGzip gzip = new FastGzip(out);
        try {
            write(document, gzip);
            gzip.close();
        } finally {
            gzip.end();
        }
    }

    private void write(JsonDocument document, OutputStream out) throws IOException {
        try (ResponseBuffer buffer = new ResponseBuffer(out, memory.buffers(), System::nanoTime)) {
            document.write(buffer);
            buffer.flush();
        }
    }

    private void mark(boolean compressed) {
        if (tag != null) {
            response.setHeader("ETag", compressed ? tag.compressed() : tag.plain());
        }
    }

    /** Counts bytes, and keeps them while they fit into the buffer. */
    private static final class Measure extends OutputStream {

        private final ByteArrayOutputStream beginning = new ByteArrayOutputStream(1024);
        private int size;

        @Override
        public void write(int b) throws IOException {
            count(1);
            if (size <= ResponseBuffer.SMALL) {
                beginning.write(b);
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            count(length);
            if (size <= ResponseBuffer.SMALL) {
                beginning.write(bytes, offset, length);
            }
        }

        private void count(int more) throws LargeException {
            if (more > THRESHOLD - size) {
                throw new LargeException();
            }
            size += more;
        }

        /**
         * Signals that the body is large. Has no stack trace, since it carries no other
         * information.
         */
        private static final class LargeException extends IOException {

            private static final long serialVersionUID = 1;

            @Override
            public synchronized Throwable fillInStackTrace() {
                return this;
            }
        }
    }

    /** Compresses at the fastest level, because lists are large and clients are close. */
    private static final class FastGzip extends GZIPOutputStream {

        private static final int CHUNK = 8 * 1024;

        FastGzip(OutputStream out) throws IOException {
            super(out, CHUNK);
            def.setLevel(Deflater.BEST_SPEED);
        }

        /** Releases the memory outside the heap, even if the body was not sent completely. */
        void end() {
            def.end();
        }
    }
}
