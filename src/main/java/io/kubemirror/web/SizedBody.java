package io.kubemirror.web;

import jakarta.servlet.http.HttpServletResponse;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * The body of an answer whose size decides how it is sent: a small one whole and with its length, a
 * large one in chunks while it is made, compressed if the client takes that (EN-9).
 */
final class SizedBody extends OutputStream {

    /** The largest body that is not compressed, in bytes. */
    static final int THRESHOLD = 128 * 1024;

    private final HttpServletResponse response;
    private final boolean compressible;
    private final @Nullable EntityTag tag;
    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
    private @Nullable OutputStream rest;

    /**
     * A body.
     *
     * @param compressible whether the client takes it compressed
     * @param tag the name of its bytes, null for none
     */
    SizedBody(HttpServletResponse response, boolean compressible, @Nullable EntityTag tag) {
        this.response = response;
        this.compressible = compressible;
        this.tag = tag;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (rest != null) {
            rest.write(bytes, offset, length);
        } else if (beginning.size() + length <= THRESHOLD) {
            beginning.write(bytes, offset, length);
        } else {
            rest = large();
            beginning.writeTo(rest);
            rest.write(bytes, offset, length);
        }
    }

    /** The body is complete. One that failed half-way must not look complete, so it is not this. */
    void finish() throws IOException {
        if (rest == null) {
            mark(false);
            response.setContentLength(beginning.size());
            beginning.writeTo(response.getOutputStream());
        } else {
            rest.close();
        }
    }

    private OutputStream large() throws IOException {
        mark(compressible);
        if (!compressible) {
            return response.getOutputStream();
        }
        response.setHeader("Content-Encoding", "gzip");
        response.addHeader("Vary", "Accept-Encoding");
        return new FastGzip(response.getOutputStream());
    }

    private void mark(boolean compressed) {
        if (tag != null) {
            response.setHeader("ETag", compressed ? tag.compressed() : tag.plain());
        }
    }

    /** Compresses as fast as it can: lists are large, and their readers are near. */
    private static final class FastGzip extends GZIPOutputStream {

        private static final int BUFFER = 8 * 1024;

        FastGzip(OutputStream out) throws IOException {
            super(out, BUFFER);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
