package io.kubemirror.kube;

import io.kubemirror.kube.json.TransportFailure.MalformedResponseException;
import io.kubemirror.model.MemoryBudget;

import org.apache.commons.io.input.ProxyInputStream;

import java.io.IOException;
import java.io.InputStream;

/**
 * A stream of a document that is parsed into a tree as a whole. Memory for the tree is acquired
 * while the document arrives and released when the stream is closed. Used by one thread.
 */
final class BudgetedInputStream extends ProxyInputStream {

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

    /**
     * {@inheritDoc}
     *
     * @throws MalformedResponseException if the document is larger than the limit or the remaining
     *     memory
     */
    @Override
    protected void afterRead(int count) throws IOException {
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
    }

    @Override
    public void close() throws IOException {
        budget.release(acquired);
        acquired = 0;
        super.close();
    }
}
