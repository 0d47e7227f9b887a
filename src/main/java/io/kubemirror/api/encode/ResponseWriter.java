package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.Indenter;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

/**
 * Sends documents in the form that the client requests: indented (list-watch.md#ne-12), compressed
 * (list-watch.md#en-9), or not at all if the client already has the document.
 *
 * <p>A small body is sent with its length, a large one in chunks while it is encoded. The size is
 * determined by encoding the body twice: the first pass counts bytes, and stops as soon as the body
 * is known to be large. A slow client thus holds one buffer, whatever the size of the body. Bodies
 * that fit into the buffer are encoded once. The buffer is large as long as the budget has room,
 * because each write costs as much as copying some ten kilobytes.
 *
 * <p>Compression needs memory outside the heap for as long as the client reads. If the budget has
 * no room, the body is sent uncompressed.
 */
public final class ResponseWriter {

    /** The maximum size of an uncompressed body, in bytes. */
    public static final int THRESHOLD = 128 * 1024;

    /** The size of the buffer that every response may use, in bytes. */
    private static final int SMALL = 16 * 1024;

    /** The size of a buffer whose difference is charged to the budget, in bytes. */
    private static final int LARGE = 64 * 1024;

    /** The memory of a compressor and of the part that it writes, in bytes. */
    static final int COMPRESSION = (300 + 128) * 1024;

    private final Exchange exchange;
    private final JsonDocument document;
    private final boolean indented;
    private final boolean compressible;
    private final @Nullable String tag;
    private final SharedBodies bodies;

    private ResponseWriter(
            JsonDocument document,
            boolean indented,
            @Nullable String tag,
            Exchange exchange,
            SharedBodies bodies) {
        this.document = document;
        this.indented = indented;
        this.tag = tag;
        this.exchange = exchange;
        this.bodies = bodies;
        this.compressible = takesGzip(exchange.request());
    }

    /**
     * Sends a document, or 304 if the client already has it.
     *
     * @param indented whether to indent the document
     * @param tag the entity tag without quotes, which identifies the exact bytes of the document,
     *     null for none; clients share a large document whose tag they have in common
     * @param bodies what clients share
     * @throws IOException if the client has disconnected
     */
    public static void send(
            JsonDocument document,
            boolean indented,
            @Nullable String tag,
            Exchange exchange,
            SharedBodies bodies)
            throws IOException {
        new ResponseWriter(document, indented, tag, exchange, bodies).send();
    }

    /** Returns whether the client accepts gzip. Like the API server, looks for the bare word. */
    public static boolean takesGzip(HttpServletRequest request) {
        return Collections.list(request.getHeaders("Accept-Encoding")).stream()
                .flatMap(header -> Arrays.stream(header.split(",", -1)))
                .anyMatch(coding -> coding.trim().equals("gzip"));
    }

    /**
     * Sends the response.
     *
     * @throws IOException if the client has disconnected; the response must not look complete in
     *     that case
     */
    private void send() throws IOException {
        HttpServletResponse response = exchange.response();
        Optional<String> known = tag == null ? Optional.empty() : known(tag);
        if (known.isPresent()) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            response.setHeader("ETag", known.get());
            return;
        }
        response.setContentType("application/json");
        Measure measure = measure();
        if (measure.size > THRESHOLD) {
            sendLarge();
            return;
        }
        mark(false);
        response.setContentLength(measure.size);
        if (measure.size <= SMALL) {
            measure.beginning.writeTo(response.getOutputStream());
        } else {
            write(rated());
        }
    }

    /** Encodes the document until its end, or until it is known to be large. */
    private Measure measure() throws IOException {
        Measure measure = new Measure();
        JsonDocument.Writing writing = begin(measure);
        boolean more = true;
        while (more && measure.size <= THRESHOLD) {
            more = writing.next();
        }
        return measure;
    }

    /** Returns the tag of the form that the client already has, empty if it has none. */
    private Optional<String> known(String name) {
        List<String> conditions = Collections.list(exchange.request().getHeaders("If-None-Match"));
        return Stream.of(quoted(name, compressible), quoted(name, false))
                .filter(header -> conditions.stream().anyMatch(it -> it.contains(header)))
                .findFirst();
    }

    /** Returns a tag as it is sent. The compressed form of a response has its own. */
    private static String quoted(String tag, boolean compressed) {
        return "\"" + tag + (compressed ? "-gzip\"" : "\"");
    }

    private OutputStream rated() throws IOException {
        return new RatedOutput(exchange.response().getOutputStream(), System::nanoTime);
    }

    private JsonDocument.Writing begin(OutputStream out) {
        return document.begin(indented ? new Indenter(out) : out);
    }

    private void sendLarge() throws IOException {
        if (tag == null) {
            sendAlone();
            return;
        }
        try (SharedBodies.Share joined = bodies.join(quoted(tag, compressible), this::parts)) {
            if (joined.isShared()) {
                mark(compressible);
                send(joined);
            } else {
                sendAlone();
            }
        } catch (UncheckedIOException exhausted) {
            throw new IOException(exhausted);
        }
    }

    private void sendAlone() throws IOException {
        try (SharedBodies.Parts compressed = compressible ? parts() : null) {
            mark(compressed != null);
            if (compressed == null) {
                write(rated());
            } else {
                send(compressed);
            }
        }
    }

    private void send(SharedBodies.Parts body) throws IOException {
        OutputStream out = rated();
        for (byte[] part = body.next(); part != null; part = body.next()) {
            out.write(part);
        }
    }

    /** Returns null if there is no memory for a compressor. */
    private SharedBodies.@Nullable Parts parts() {
        if (compressible && !exchange.memory().responses().tryAcquire(COMPRESSION)) {
            return null;
        }
        try {
            return new DocumentParts();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private void write(OutputStream out) throws IOException {
        boolean large = exchange.memory().buffers().tryAcquire(LARGE - SMALL);
        try {
            OutputStream buffer = new BufferedOutputStream(out, large ? LARGE : SMALL);
            document.write(indented ? new Indenter(buffer) : buffer);
            buffer.flush();
        } finally {
            if (large) {
                exchange.memory().buffers().release(LARGE - SMALL);
            }
        }
    }

    private void mark(boolean compressed) {
        HttpServletResponse response = exchange.response();
        if (tag != null) {
            response.setHeader("ETag", quoted(tag, compressed));
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
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            size = Math.addExact(size, length);
            if (size <= SMALL) {
                beginning.write(bytes, offset, length);
            }
        }
    }

    /** A document in parts of one size, compressed or not. Memory never fails to be written. */
    private final class DocumentParts extends OutputStream implements SharedBodies.Parts {

        private static final int PART = 128 * 1024;

        private final Deque<byte[]> encoded = new ArrayDeque<>();
        private final OutputStream first;
        private final JsonDocument.Writing writing;
        private boolean more = true;
        private byte[] part = {};
        private int count;

        /** Null if the document is not compressed, and after its end. */
        private @Nullable FastGzip gzip;

        private DocumentParts() throws IOException {
            this.gzip = compressible ? new FastGzip(this) : null;
            this.first = gzip == null ? this : new BufferedOutputStream(gzip, SMALL);
            this.writing = begin(first);
        }

        @Override
        public byte @Nullable [] next() {
            try {
                while (encoded.isEmpty() && more) {
                    more = writing.next();
                    if (!more) {
                        finish();
                    }
                }
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
            return encoded.poll();
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
                exchange.memory().responses().release(COMPRESSION);
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
     * Writes to a client, and disconnects one that reads so slowly that it would hold the memory of
     * the response practically forever ({@link ClientMemory#isTooSlow}). Used by one thread.
     */
    static final class RatedOutput extends OutputStream {

        private final OutputStream out;
        private final LongSupplier nanoTime;
        private final long start;
        private long sent;

        /**
         * Creates the output.
         *
         * @param out receives the bytes; may block
         * @param nanoTime a monotonic clock in nanoseconds
         */
        RatedOutput(OutputStream out, LongSupplier nanoTime) {
            this.out = out;
            this.nanoTime = nanoTime;
            this.start = nanoTime.getAsLong();
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (out instanceof ServletOutputStream servlet) {
                // Jetty would divide an array into writes of its own size.
                servlet.write(ByteBuffer.wrap(bytes, offset, length));
            } else {
                out.write(bytes, offset, length);
            }
            sent += length;
            if (ClientMemory.isTooSlow(nanoTime.getAsLong() - start, sent)) {
                throw new IOException("the client reads too slowly");
            }
        }
    }
}
