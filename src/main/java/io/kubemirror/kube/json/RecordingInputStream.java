package io.kubemirror.kube.json;

import static java.nio.charset.StandardCharsets.US_ASCII;

import module java.base;

import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/**
 * A stream that keeps the bytes of the object that is being read from it, so that the object can be
 * stored as its original bytes after a single pass over the stream.
 *
 * <p>Positions are relative to the start of the stream. The bytes of the last read are always kept,
 * since a parser finds the start of an object only after reading it. The parser reads more only
 * when its buffer is used up, except at the very start, where it inspects some bytes to detect the
 * encoding. Therefore a recording begins in the holding state.
 */
public final class RecordingInputStream extends InputStream {

    private static final int USUAL = 32 * 1024;
    private static final int LARGE = 1024 * 1024;

    /** More than the size of anything outside the objects of a list or frame. */
    private static final int MAX_GAP = 1024 * 1024;

    /**
     * The number of bytes that one parser reads, and the object that it is reading then. A parser
     * keeps every member name that it meets, up to tens of thousands, and {@code managedFields}
     * uses uids and addresses as names.
     */
    private static final int BYTES_OF_A_PARSER = 1024 * 1024;

    /** The recording and the copy of the object made from it. */
    private static final int COPIES = 2;

    /**
     * The maximum length of a name, a number, or a decoded text: more than an object in etcd has.
     * The keys of {@code managedFields} contain names of any length.
     */
    private static final int MAX_TEXT = 2 * 1024 * 1024;

    /** Creates parsers of objects. A copy of it shares no names of members. */
    static final JsonFactory PARSERS =
            JsonFactory.builder()
                    // A stream may outlive its parser; the code that opened it closes it.
                    .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(KubeObject.MAX_DEPTH)
                                    .maxStringLength(MAX_TEXT)
                                    .maxNameLength(MAX_TEXT)
                                    .maxNumberLength(MAX_TEXT)
                                    .build())
                    .build();

    private final InputStream source;
    private final int limit;
    private final MemoryBudget budget;

    private byte[] recorded;
    private int length;
    private long acquired;
    private long gap;
    private long base;
    private boolean holding = true;
    private boolean atEnd;
    private byte[] again = {};
    private int againRead;

    /**
     * Creates a recording of a stream.
     *
     * @param source the stream
     * @param limit the maximum number of bytes to keep
     * @param budget the budget for large objects, used until {@link #discard}
     */
    public RecordingInputStream(InputStream source, int limit, MemoryBudget budget) {
        this(source, limit, budget, USUAL);
    }

    /** Creates a recording of a document in memory, which the caller accounts for. */
    RecordingInputStream(byte[] document) {
        this(
                new ByteArrayInputStream(document),
                document.length + 1,
                MemoryBudget.unlimited(),
                document.length + 1);
    }

    private RecordingInputStream(InputStream source, int limit, MemoryBudget budget, int expected) {
        this.source = source;
        this.limit = limit;
        this.budget = budget;
        this.recorded = new byte[expected];
    }

    /**
     * Creates a parser and waits for the first bytes of the stream. No other parser gets the names
     * that it keeps, because a server may choose long ones.
     *
     * @throws JacksonException if the bytes cannot be read or are not UTF-8
     */
    public JsonParser parser() {
        JsonParser parser = PARSERS.copy().createParser(ObjectReadContext.empty(), this);
        release();
        if (parser.currentLocation().getByteOffset() < 0) {
            throw new StreamReadException(parser, "not UTF-8");
        }
        return parser;
    }

    /**
     * {@inheritDoc}
     *
     * @throws MalformedResponseException if the kept object is larger than the limit or the
     *     remaining memory, or if too many bytes arrive without an object
     */
    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        if (!holding) {
            forget();
            if (gap > MAX_GAP) {
                throw new MalformedResponseException("too many bytes without an object");
            }
        } else if (length >= limit) {
            throw new MalformedResponseException("an object is larger than " + limit + " bytes");
        }
        int read = readAgain(bytes, offset, count);
        if (read == 0) {
            read = source.read(bytes, offset, count);
        }
        if (read > 0) {
            append(bytes, offset, read);
            gap += read;
        }
        atEnd = read < 0;
        return read;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    private int readAgain(byte[] bytes, int offset, int count) {
        int read = Math.min(count, again.length - againRead);
        System.arraycopy(again, againRead, bytes, offset, read);
        againRead += read;
        return read;
    }

    private void forget() {
        base += length;
        length = 0;
        if (recorded.length > LARGE) {
            recorded = new byte[USUAL];
            discard();
        }
    }

    private void append(byte[] bytes, int offset, int count) throws MalformedResponseException {
        if (length + count > recorded.length) {
            grow(
                    Math.max(
                            (int) Math.min(2L * recorded.length, (long) limit + USUAL),
                            length + count));
        }
        System.arraycopy(bytes, offset, recorded, length, count);
        length += count;
    }

    private void grow(int size) throws MalformedResponseException {
        long needed = (long) COPIES * size;
        if (!budget.tryAcquire(needed)) {
            throw new MalformedResponseException(
                    "not enough memory for an object of more than " + recorded.length + " bytes");
        }
        recorded = Arrays.copyOf(recorded, size);
        discard();
        acquired = needed;
    }

    /** Releases the memory of large objects. The last object must not be retrieved afterward. */
    public void discard() {
        budget.release(acquired);
        acquired = 0;
    }

    /** Keeps all bytes from a position on. The position must be within the last read. */
    void hold(long position) {
        int start = Math.toIntExact(position - base);
        System.arraycopy(recorded, start, recorded, 0, length - start);
        length -= start;
        base = position;
        holding = true;
        gap = 0;
    }

    /** Stops keeping the bytes that have been read. */
    public void release() {
        holding = false;
        gap = 0;
    }

    /** Returns whether another parser should continue, to drop the names that this one keeps. */
    public boolean needsNewParser() {
        return base + length > BYTES_OF_A_PARSER;
    }

    /**
     * Creates a parser that continues after the current token of another one, which is closed.
     *
     * @param prefix read before the rest of the stream, in ASCII
     */
    public JsonParser newParser(JsonParser parser, String prefix) {
        int read = Math.toIntExact(parser.currentLocation().getByteOffset() - base);
        // The old parser has read more than it used.
        again = Arrays.copyOf(prefix.getBytes(US_ASCII), prefix.length() + length - read);
        System.arraycopy(recorded, read, again, prefix.length(), length - read);
        againRead = 0;
        length = 0;
        base = 0;
        holding = true;
        parser.close();
        return parser();
    }

    /**
     * Returns the kept bytes, starting at the position given to {@link #hold}; the array may
     * contain more bytes after them.
     */
    byte[] held() {
        return recorded;
    }

    /** Returns whether the stream has ended. */
    public boolean atEnd() {
        return atEnd;
    }
}
