package io.kubemirror.upstream.kube;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.upstream.wire.MalformedResponseException;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream of a document that is parsed into a tree as a whole. Memory for the tree is acquired
 * while the document arrives and released when the stream is closed. Used by one thread.
 */
final class BudgetedInputStream extends FilterInputStream {

    /** The number of bytes that a byte of JSON needs in a tree. */
    private static final int EXPANSION = 8;

    private static final int STEP = 64 * 1024;

    private final MemoryBudget budget;
    private final long limit;
    private long read;
    private long acquired;

    /**
     * Creates a stream.
     *
     * @param settings the size limit and the memory budget
     */
    BudgetedInputStream(InputStream source, ClientSettings settings) {
        super(source);
        this.budget = settings.incoming();
        this.limit = settings.objectLimit();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /**
     * {@inheritDoc}
     *
     * @throws MalformedResponseException if the document is larger than the limit or the remaining
     *     memory
     */
    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length);
        read += Math.max(0, count);
        if (read > limit) {
            throw new MalformedResponseException("a document is larger than " + limit + " bytes");
        }
        while (acquired < read * EXPANSION) {
            if (!budget.tryAcquire((long) STEP * EXPANSION)) {
                throw new MalformedResponseException(
                        "not enough memory for a document of more than " + read + " bytes");
            }
            acquired += (long) STEP * EXPANSION;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        budget.release(acquired);
        acquired = 0;
        super.close();
    }
}
