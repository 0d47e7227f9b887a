package io.kubemirror.api.http;

import io.kubemirror.model.MemoryBudget;

/**
 * The parts of the memory budget for what waits for clients, and the amounts that are charged to
 * them.
 *
 * <p>The parts add up to more than the whole, so each kind of use can take most of the memory while
 * the others take little.
 *
 * @param connections a fixed amount for each connection, which leaves less for the others
 * @param responses a fixed amount for each request in progress that is not a watch, and the
 *     compression of responses
 * @param small what requests in progress with small answers have beyond {@code responses}, so that
 *     those who read lists slowly leave memory for them
 * @param buffers larger buffers for a few responses whose clients read fast
 * @param proxied responses of the API server that are kept for several clients
 */
public record ClientMemory(
        MemoryBudget connections,
        MemoryBudget responses,
        MemoryBudget small,
        MemoryBudget buffers,
        MemoryBudget proxied) {

    /**
     * The charge of a connection, in bytes. An idle connection takes 3.2 KB of live heap, one with
     * a watch 8.4 KB.
     */
    public static final int CONNECTION = 8 * 1024;

    /**
     * The charge of a request in progress, in bytes: a virtual thread, the request itself, and a
     * buffer of {@code ResponseBuffer#SMALL}.
     */
    public static final int RESPONSE = 24 * 1024;

    /** Returns the maximum number of connections that there is memory for. */
    public int maxConnections() {
        return Math.clamp(connections.limit() / CONNECTION, 1, Integer.MAX_VALUE);
    }

    /** Divides the budget for clients. */
    public static ClientMemory of(MemoryBudget clients) {
        long quarter = clients.limit() / 4;
        return new ClientMemory(
                clients.part("connections", 3 * quarter),
                clients.part("responses", 3 * quarter),
                clients.part("small", quarter / 8),
                clients.part("buffers", quarter / 4),
                clients.part("proxied", quarter));
    }
}
