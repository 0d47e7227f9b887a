package io.kubemirror.api.http;

import io.kubemirror.memory.MemoryBudget;

/**
 * The parts of the memory budget for clients, and what is drawn from them.
 *
 * <p>The parts add up to more than the whole, so that each kind of client can use most of it while
 * the others are few. No part is the whole: whoever exhausts one, such as strangers with request
 * heads that never end, leaves something of the others.
 *
 * @param connections a fixed amount for each connection, which includes a watch and a request head
 *     of ordinary size
 * @param heads request heads beyond that size
 * @param responses a fixed amount for each request that is being answered and is no watch, and the
 *     compression of answers
 * @param buffers what makes the buffers of a few answers larger, while their clients read fast
 * @param proxied answers of the API server that are kept for several clients
 * @param management request heads of the management port
 */
public record ClientMemory(
        MemoryBudget connections,
        MemoryBudget heads,
        MemoryBudget responses,
        MemoryBudget buffers,
        MemoryBudget proxied,
        MemoryBudget management) {

    /**
     * What a connection takes, in bytes: 3.2 KB while it is idle, 8.4 KB with a watch (measured,
     * live heap).
     */
    public static final int CONNECTION = 8 * 1024;

    /** What a connection with TLS takes in addition, in bytes. */
    public static final int TLS = 24 * 1024;

    /**
     * What a request takes while it is answered, in bytes: a virtual thread, the request itself,
     * and a buffer of {@code ResponseBuffer#SMALL}.
     */
    public static final int RESPONSE = 24 * 1024;

    /** Divides the budget for clients. */
    public static ClientMemory of(MemoryBudget clients) {
        long quarter = clients.limit() / 4;
        return new ClientMemory(
                clients.part("connections", 3 * quarter),
                clients.part("request-heads", quarter),
                clients.part("responses", 3 * quarter),
                clients.part("buffers", quarter / 4),
                clients.part("proxied", quarter),
                clients.part("management", quarter / 4));
    }
}
