package io.kubemirror.api.encode;

import io.kubemirror.memory.MemoryBudget;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.LongSupplier;

/**
 * Collects the bytes of an answer, so that few writes reach the connection.
 *
 * <p>It is large while the client reads fast and the budget has room, and small from the first
 * write on that takes long. Each write of a list costs as much as copying some ten kilobytes, so
 * small buffers alone would make a list half as slow again (measured); large ones alone would be
 * held by every client that does not read. For one thread.
 */
final class ResponseBuffer extends OutputStream {

    /** The size that every answer may have, in bytes. */
    static final int SMALL = 16 * 1024;

    /** The size while the client reads fast, in bytes; the difference draws from the budget. */
    static final int LARGE = 64 * 1024;

    /** A write that takes longer has waited for the client, in nanoseconds. */
    private static final long SLOW = 50_000_000;

    private final OutputStream out;
    private final MemoryBudget budget;
    private final LongSupplier nanoTime;
    private byte[] buffer = new byte[SMALL];
    private int count;
    private boolean slow;

    /**
     * An empty buffer.
     *
     * @param out where full buffers are written to; may block
     * @param budget what a large buffer draws from
     * @param nanoTime the time in nanoseconds, from any origin
     */
    ResponseBuffer(OutputStream out, MemoryBudget budget, LongSupplier nanoTime) {
        this.out = out;
        this.budget = budget;
        this.nanoTime = nanoTime;
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

    /** Writes what has been collected, and chooses the size of what comes next. */
    @Override
    public void flush() throws IOException {
        long before = nanoTime.getAsLong();
        out.write(buffer, 0, count);
        count = 0;
        slow |= nanoTime.getAsLong() - before > SLOW;
        if (slow) {
            shrink();
        } else if (buffer.length == SMALL && budget.tryAcquire(LARGE - SMALL)) {
            buffer = new byte[LARGE];
        }
    }

    /** Returns what was drawn from the budget; writes nothing and leaves the stream open. */
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
