package io.kubemirror.api.encode;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.JsonDocument;

import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * The body of an answer whose size decides how it is sent: a small one with its length, a large one
 * in chunks while it is made, compressed if the client takes that (list-watch.md#en-9).
 *
 * <p>The size is found out by making the body twice: the first time its bytes are only counted, and
 * counting ends where it is known to be large. So a client that takes its time holds one buffer and
 * nothing of what it will get, however large the body is. Bodies that fit into the buffer are made
 * once.
 *
 * <p>Compression needs memory outside of the heap for as long as the client reads. What does not
 * fit into the budget is sent as it is.
 */
public final class SizedBody {

    /** The largest body that is not compressed, in bytes. */
    public static final int THRESHOLD = 128 * 1024;

    /** What compression takes, in bytes, nearly all of it outside of the heap. */
    static final int COMPRESSION = 300 * 1024;

    private final HttpServletResponse response;
    private final boolean compressible;
    private final @Nullable EntityTag tag;
    private final ClientMemory memory;

    /**
     * A body.
     *
     * @param compressible whether the client takes it compressed
     * @param tag the name of its bytes, null for none
     * @param memory what compression and large buffers draw from
     */
    SizedBody(
            HttpServletResponse response,
            boolean compressible,
            @Nullable EntityTag tag,
            ClientMemory memory) {
        this.response = response;
        this.compressible = compressible;
        this.tag = tag;
        this.memory = memory;
    }

    /**
     * Sends the body.
     *
     * @param document makes it, the same bytes each time
     * @throws IOException if the client is gone; what was sent must not look complete then
     */
    void send(JsonDocument document) throws IOException {
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
        boolean compressed = compressible && memory.responses().tryAcquire(COMPRESSION);
        mark(compressed);
        if (!compressed) {
            write(document, response.getOutputStream());
            return;
        }
        response.setHeader("Content-Encoding", "gzip");
        response.addHeader("Vary", "Accept-Encoding");
        FastGzip gzip = new FastGzip(response.getOutputStream());
        try {
            write(document, gzip);
            gzip.close();
        } finally {
            gzip.end();
            memory.responses().release(COMPRESSION);
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

    /** Counts bytes, and keeps them as long as they are few. */
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

        /** The body is large. Says nothing but that, so it needs no trace. */
        private static final class LargeException extends IOException {

            private static final long serialVersionUID = 1;

            @Override
            public synchronized Throwable fillInStackTrace() {
                return this;
            }
        }
    }

    /** Compresses as fast as it can: lists are large, and their readers are near. */
    private static final class FastGzip extends GZIPOutputStream {

        private static final int CHUNK = 8 * 1024;

        FastGzip(OutputStream out) throws IOException {
            super(out, CHUNK);
            def.setLevel(Deflater.BEST_SPEED);
        }

        /** Gives the memory outside of the heap back, also of a body that has failed half-way. */
        void end() {
            def.end();
        }
    }
}
