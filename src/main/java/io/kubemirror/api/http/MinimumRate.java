package io.kubemirror.api.http;

/**
 * How fast a client has to send or read at least, so that it does not hold the memory of its
 * request practically forever. The idle timeout of the connection ends only those that do nothing.
 */
public final class MinimumRate {

    /** The duration in nanoseconds for which a client may be as slow as it likes. */
    public static final long GRACE = 60_000_000_000L;

    /** The minimum number of bytes per second after that, on average. */
    public static final long RATE = 16 * 1024;

    private MinimumRate() {}

    /**
     * Returns whether a client is too slow.
     *
     * @param nanos how long it has taken so far, in nanoseconds
     * @param bytes how much it has sent or read in that time
     */
    public static boolean isMissed(long nanos, long bytes) {
        return nanos - GRACE > bytes / RATE * 1_000_000_000;
    }
}
