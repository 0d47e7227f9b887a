package io.kubemirror.kube.json;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time within which each portion of a response must arrive, or its end. A read timeout alone
 * lets a server send single bytes forever. Used by one thread at a time.
 */
public final class PortionTimeout {

    /** A slower response than one portion in the time limit is as dead as a silent one. */
    public static final int PORTION = 64 * 1024;

    private final long limit;
    private final LongSupplier nanoTime;
    private long started;
    private long waited;
    private long arrived;

    /**
     * Creates the timeout of one response.
     *
     * @param limit the time for a portion, without the time between reads
     * @param nanoTime a monotonic clock, in nanoseconds
     */
    public PortionTimeout(Duration limit, LongSupplier nanoTime) {
        this.limit = limit.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Records that a read begins. */
    public void beforeRead() {
        started = nanoTime.getAsLong();
    }

    /**
     * Records that a read has ended.
     *
     * @param count the number of bytes that arrived
     * @throws IOException if the response is too slow
     */
    public void afterRead(long count) throws IOException {
        arrived += count;
        waited += nanoTime.getAsLong() - started;
        if (arrived >= PORTION) {
            arrived = 0;
            waited = 0;
        } else if (waited > limit) {
            throw new IOException("the response was too slow");
        }
    }
}
