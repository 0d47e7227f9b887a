package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.encode.DocumentEncoder.EntityTag;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Indenter;
import io.kubemirror.api.http.MinimumRate;
import io.kubemirror.model.MemoryBudget;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

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
     * @param tag the entity tag of the document, null for none; clients share a large document
     *     whose tag they have in common
     * @param bodies what clients share
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
                .send(indented ? out -> document.begin(new Indenter(out)) : document);
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
        if (tag == null) {
            sendAlone(document);
            return;
        }
        ClientMemory limits = memory;
        boolean compressed = compressible;
        try (SharedBodies.Share joined =
                bodies.join(
                        tag.header(compressed),
                        () -> DocumentParts.begin(document, compressed, limits))) {
            if (!joined.isShared()) {
                sendAlone(document);
                return;
            }
            mark(compressed);
            sendParts(joined);
        } catch (UncheckedIOException exhausted) {
            throw new IOException(exhausted);
        }
    }

    private void sendParts(SharedBodies.Parts parts) throws IOException {
        try (ResponseBuffer buffer = buffer(response.getOutputStream())) {
            while (parts.hasNext()) {
                buffer.writeShared(parts.next());
            }
        }
    }

    private void sendAlone(JsonDocument document) throws IOException {
        boolean compressed = compressible && memory.responses().tryAcquire(COMPRESSION);
        mark(compressed);
        if (!compressed) {
            write(document, response.getOutputStream());
            return;
        }
        try {
            compress(document, response.getOutputStream());
        } finally {
            memory.responses().release(COMPRESSION);
        }
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
        try (ResponseBuffer buffer = buffer(out)) {
            document.write(buffer);
            buffer.flush();
        }
    }

    private ResponseBuffer buffer(OutputStream out) {
        return new ResponseBuffer(out, memory.buffers(), System::nanoTime);
    }

    private void mark(boolean compressed) {
        if (tag != null && tag.sent()) {
            response.setHeader("ETag", tag.header(compressed));
        }
        if (compressed) {
            response.setHeader("Content-Encoding", "gzip");
            response.addHeader("Vary", "Accept-Encoding");
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

    /** A document in parts of one size, compressed or not. Memory never fails to be written. */
    private static final class DocumentParts extends OutputStream implements SharedBodies.Parts {

        private static final int PART = 128 * 1024;

        private final Deque<byte[]> encoded = new ArrayDeque<>();
        private final OutputStream first;
        private final JsonDocument.Steps document;
        private boolean more = true;
        private byte[] part = {};
        private int count;

        /** Null if the document is not compressed, and after its end. */
        private @Nullable FastGzip gzip;

        private final MemoryBudget budget;

        private DocumentParts(JsonDocument document, boolean compressed, MemoryBudget budget)
                throws IOException {
            this.budget = budget;
            this.gzip = compressed ? new FastGzip(this) : null;
            this.first = gzip == null ? this : new BufferedOutputStream(gzip, ResponseBuffer.SMALL);
            this.document = document.begin(first);
        }

        /** Returns null if there is no memory for a compressor. */
        static SharedBodies.@Nullable Parts begin(
                JsonDocument document, boolean compressed, ClientMemory memory) {
            MemoryBudget budget = memory.responses();
            if (compressed && !budget.tryAcquire(COMPRESSION)) {
                return null;
            }
            try {
                return new DocumentParts(document, compressed, budget);
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }

        @Override
        public boolean hasNext() {
            try {
                while (encoded.isEmpty() && more) {
                    more = document.next();
                    if (!more) {
                        finish();
                    }
                }
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
            return !encoded.isEmpty();
        }

        @Override
        public byte[] next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return encoded.remove();
        }

        private void finish() throws IOException {
            first.flush();
            if (gzip != null) {
                gzip.finish();
            }
            close();
            if (count > 0) {
                encoded.add(Arrays.copyOf(part, count));
            }
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            int from = offset;
            while (from < offset + length) {
                if (part.length == 0) {
                    part = new byte[PART];
                }
                int some = Math.min(offset + length - from, PART - count);
                System.arraycopy(bytes, from, part, count, some);
                from += some;
                count += some;
                if (count == PART) {
                    encoded.add(part);
                    part = new byte[] {};
                    count = 0;
                }
            }
        }

        /** Returns the memory of the compressor. */
        @Override
        public void close() {
            if (gzip != null) {
                gzip.end();
                gzip = null;
                budget.release(COMPRESSION);
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

    /**
     * Buffers the bytes of a response to reduce the number of writes to the connection.
     *
     * <p>The buffer is large while the client reads fast and the budget has room. It becomes small
     * with the first slow write. Each write costs as much as copying some ten kilobytes, so small
     * buffers alone would make lists about 50% slower (measured), and large buffers alone would be
     * held by every client that does not read. A client that reads next to nothing is disconnected
     * ({@link MinimumRate}). Used by one thread.
     */
    static final class ResponseBuffer extends OutputStream {

        /** The size that every response may use, in bytes. */
        static final int SMALL = 16 * 1024;

        /**
         * The size while the client reads fast, in bytes. The difference is charged to the budget.
         */
        static final int LARGE = 64 * 1024;

        /** The duration in nanoseconds above which a write has waited for the client. */
        private static final long SLOW = 50_000_000;

        private final OutputStream out;
        private final MemoryBudget budget;
        private final LongSupplier nanoTime;
        private byte[] buffer = new byte[SMALL];
        private final long start;
        private int count;
        private long sent;
        private boolean slow;

        /**
         * Creates an empty buffer.
         *
         * @param out receives full buffers; may block
         * @param budget the budget for a large buffer
         * @param nanoTime a monotonic clock in nanoseconds
         */
        ResponseBuffer(OutputStream out, MemoryBudget budget, LongSupplier nanoTime) {
            this.out = out;
            this.budget = budget;
            this.nanoTime = nanoTime;
            this.start = nanoTime.getAsLong();
        }

        @Override
        public void write(int b) throws IOException {
            if (count == buffer.length) {
                flush();
            }
            buffer[count++] = (byte) b;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int from = offset;
            int left = length;
            while (left > 0) {
                if (count == buffer.length) {
                    flush();
                }
                int some = Math.min(left, buffer.length - count);
                System.arraycopy(bytes, from, buffer, count, some);
                count += some;
                from += some;
                left -= some;
            }
        }

        /**
         * Writes the buffered bytes and chooses the size of the next buffer.
         *
         * @throws IOException if the client has disconnected, or reads so slowly that it would hold
         *     the memory of the response practically forever
         */
        @Override
        public void flush() throws IOException {
            send(buffer, count);
            count = 0;
            if (slow) {
                shrink();
            } else if (buffer.length == SMALL && budget.tryAcquire(LARGE - SMALL)) {
                buffer = new byte[LARGE];
            }
        }

        /**
         * Writes bytes that others share. They are not copied, so a slow client holds none of its
         * own.
         *
         * @throws IOException as for {@link #flush}
         */
        void writeShared(byte[] bytes) throws IOException {
            if (count > 0) {
                flush();
            }
            send(bytes, bytes.length);
        }

        private void send(byte[] bytes, int length) throws IOException {
            long before = nanoTime.getAsLong();
            if (out instanceof ServletOutputStream response) {
                // Jetty would divide an array into writes of its own size.
                response.write(ByteBuffer.wrap(bytes, 0, length));
            } else {
                out.write(bytes, 0, length);
            }
            sent += length;
            long now = nanoTime.getAsLong();
            if (MinimumRate.isMissed(now - start, sent)) {
                throw new IOException("the client reads too slowly");
            }
            slow |= now - before > SLOW;
        }

        /** Returns the memory to the budget. Writes nothing and leaves the stream open. */
        @Override
        public void close() {
            shrink();
        }

        private void shrink() {
            if (buffer.length == LARGE) {
                budget.release(LARGE - SMALL);
                buffer = new byte[SMALL];
            }
        }
    }
}
