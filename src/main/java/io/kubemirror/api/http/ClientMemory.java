package io.kubemirror.api.http;

import io.kubemirror.model.MemoryBudget;

/**
 * The memory for what waits for clients. There is one count; who can do without stops earlier, so
 * that something is left for the others.
 *
 * @param all a fixed amount for each connection, which leaves less for the others, and requests in
 *     progress with small answers
 * @param responses requests in progress that are not watches, and the compression of responses, so
 *     that those who read lists slowly leave memory for small answers
 * @param buffers larger buffers for a few responses whose clients read fast
 */
public record ClientMemory(MemoryBudget all, MemoryBudget responses, MemoryBudget buffers) {

    /**
     * The charge of a connection, in bytes. An idle connection takes 3.2 KB of live heap, one with
     * a watch 8.4 KB.
     */
    public static final int CONNECTION = 8 * 1024;

    /**
     * The charge of a request in progress, in bytes: a virtual thread, the request itself, and a
     * small buffer.
     */
    public static final int RESPONSE = 24 * 1024;

    /** The duration in nanoseconds for which a client may be as slow as it likes. */
    public static final long GRACE = 60_000_000_000L;

    /** The minimum number of bytes per second that a client sends or reads after that. */
    public static final long MIN_RATE = 16 * 1024;

    /**
     * Returns whether a client is so slow that it would hold the memory of its request practically
     * forever. The idle timeout of the connection ends only those that do nothing.
     *
     * @param nanos how long it has taken so far, in nanoseconds
     * @param bytes how much it has sent or read in that time
     */
    public static boolean isTooSlow(long nanos, long bytes) {
        return nanos - GRACE > bytes / MIN_RATE * 1_000_000_000;
    }

    /** Returns the maximum number of connections that there is memory for. */
    public int maxConnections() {
        return Math.clamp(all.limit() / 4 * 3 / CONNECTION, 1, Integer.MAX_VALUE);
    }

    /** Returns how users share the memory for clients. */
    public static ClientMemory of(MemoryBudget clients) {
        long limit = clients.limit();
        return new ClientMemory(clients, clients.upTo(limit - limit / 32), clients.upTo(limit / 2));
    }
}
