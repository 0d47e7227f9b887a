package io.kubemirror.kube;

import module java.base;

/**
 * The content of a body that is a sequence of gzip members.
 *
 * <p>{@link GZIPInputStream} calls itself for each member without content, so a server could
 * overflow the stack by a body of a few megabytes. So many in a row are an error here.
 */
public final class GzipBody extends GZIPInputStream {

    /** The maximum number of members without content in a row. */
    static final int MAX_EMPTY = 100;

    private static final int BUFFER = 16 * 1024;

    private int reads;

    /**
     * Creates a stream that reads the first header at once.
     *
     * @throws IOException if the body does not begin with a gzip member
     */
    public GzipBody(InputStream body) throws IOException {
        super(body, BUFFER);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        reads++;
        try {
            if (reads > MAX_EMPTY) {
                throw new ZipException("too many gzip members without content");
            }
            return super.read(target, offset, length);
        } finally {
            reads--;
        }
    }
}
