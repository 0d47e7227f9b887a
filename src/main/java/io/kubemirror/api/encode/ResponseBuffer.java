package io.kubemirror.api.encode;

import io.kubemirror.model.MemoryBudget;

import jakarta.servlet.ServletOutputStream;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * Buffers the bytes of a response to reduce the number of writes to the connection.
 *
 * <p>The buffer is large while the client reads fast and the budget has room. It becomes small with
 * the first slow write. Each write costs as much as copying some ten kilobytes, so small buffers
 * alone would make lists about 50% slower (measured), and large buffers alone would be held by
 * every client that does not read. A client that reads next to nothing is disconnected: the idle
 * timeout of the connection ends only those that read nothing. Used by one thread.
 */
final class ResponseBuffer extends OutputStream {

    /** The size that every response may use, in bytes. */
    static final int SMALL = 16 * 1024;

    /** The size while the client reads fast, in bytes. The difference is charged to the budget. */
    static final int LARGE = 64 * 1024;

    /** The duration in nanoseconds above which a write has waited for the client. */
    private static final long SLOW = 50_000_000;

    /** The duration in nanoseconds for which a client may read as slowly as it likes. */
    static final long GRACE = 60_000_000_000L;

    /** The minimum number of bytes that a client must read per second after that, on average. */
    static final long RATE = 16 * 1024;

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
     * @throws IOException if the client has disconnected, or reads so slowly that it would hold the
     *     memory of the response practically forever
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
     * Writes bytes that others share. They are not copied, so a slow client holds none of its own.
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
        if (now - start - GRACE > sent / RATE * 1_000_000_000) {
            throw new IOException("the client reads fewer than " + RATE + " bytes per second");
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
