package io.kubemirror.kube;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * A stream that keeps the bytes of the object which is being read from it, so that the object can
 * be stored as the bytes it came as, in one pass over the stream.
 *
 * <p>Positions are counted from the start of the stream. The bytes of the last read are kept in any
 * case, since a parser finds the start of an object only after it has read it. The parser asks for
 * more only when everything it has is used up, except at the very start, where it looks at some
 * bytes to tell the encoding; so a recording begins with holding.
 */
final class RecordingInput extends InputStream {

    private static final int USUAL = 32 * 1024;
    private static final int LARGE = 1024 * 1024;

    private final InputStream source;
    private final int limit;

    private byte[] recorded = new byte[USUAL];
    private int length;
    private long base;
    private boolean holding = true;
    private boolean atEnd;

    /**
     * A recording of a stream.
     *
     * @param source the stream
     * @param limit the largest number of bytes to keep
     */
    RecordingInput(InputStream source, int limit) {
        this.source = source;
        this.limit = limit;
    }

    /**
     * {@inheritDoc}
     *
     * @throws MalformedException if the object that is being kept is larger than the limit
     */
    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        if (!holding) {
            forget();
        } else if (length >= limit) {
            throw new MalformedException("an object is larger than " + limit + " bytes");
        }
        int read = source.read(bytes, offset, count);
        if (read > 0) {
            append(bytes, offset, read);
        }
        atEnd = read < 0;
        return read;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    private void forget() {
        base += length;
        length = 0;
        if (recorded.length > LARGE) {
            recorded = new byte[USUAL];
        }
    }

    private void append(byte[] bytes, int offset, int count) {
        if (length + count > recorded.length) {
            recorded = Arrays.copyOf(recorded, Math.max(2 * recorded.length, length + count));
        }
        System.arraycopy(bytes, offset, recorded, length, count);
        length += count;
    }

    /** Keeps all bytes from a position on, which is in the last read. */
    void hold(long position) {
        int start = Math.toIntExact(position - base);
        System.arraycopy(recorded, start, recorded, 0, length - start);
        length -= start;
        base = position;
        holding = true;
    }

    /** Keeps no longer what has been read. */
    void release() {
        holding = false;
    }

    /** The kept bytes, from the position that {@link #hold} was given; more may follow in it. */
    byte[] held() {
        return recorded;
    }

    /** Whether the stream has ended. */
    boolean atEnd() {
        return atEnd;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
