package io.kubemirror.upstream.kube;

import io.kubemirror.memory.MemoryBudget;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A document that is read as a whole into a tree, for which memory is acquired while it arrives and
 * given back when the stream is closed. Used by one thread.
 */
final class BudgetedInputStream extends FilterInputStream {

    /** What a byte of JSON needs as part of a tree. */
    private static final int EXPANSION = 8;

    private static final int STEP = 64 * 1024;

    private final MemoryBudget budget;
    private final long limit;
    private long read;
    private long acquired;

    /**
     * A document.
     *
     * @param settings how large it may be, and what it draws from
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
     * @throws MalformedResponseException if the document is larger than the limit or than the
     *     memory that is left
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
                        "no memory is left for a document of more than " + read + " bytes");
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
