package io.kubemirror.api.http;

import io.kubemirror.model.MemoryBudget;

/**
 * The parts of the memory budget for clients, and the amounts that are charged to them.
 *
 * <p>The parts add up to more than the whole, so each kind of use can take most of the memory while
 * the others take little. No part is the whole: a client that exhausts one part, for example with
 * request heads that never end, leaves memory for the others.
 *
 * @param connections a fixed amount for each connection, which includes a watch and a request head
 *     of ordinary size; the same for each stream of HTTP/2, and its head
 * @param heads request heads beyond that size
 * @param responses a fixed amount for each request in progress that is not a watch, and the
 *     compression of responses
 * @param small what requests in progress with small answers have beyond {@code responses}, so that
 *     those who read lists slowly leave memory for them
 * @param buffers larger buffers for a few responses whose clients read fast
 * @param proxied responses of the API server that are kept for several clients
 * @param management request heads of the management port
 */
public record ClientMemory(
        MemoryBudget connections,
        MemoryBudget heads,
        MemoryBudget responses,
        MemoryBudget small,
        MemoryBudget buffers,
        MemoryBudget proxied,
        MemoryBudget management) {

    /**
     * The charge of a connection, in bytes. An idle connection takes 3.2 KB of live heap, one with
     * a watch 8.4 KB.
     */
    public static final int CONNECTION = 8 * 1024;

    /** The additional charge of a connection with TLS, in bytes. */
    public static final int TLS = 24 * 1024;

    /**
     * The bytes that a client of HTTP/2 may send before they are read, on all streams of a
     * connection together. No connection can have fewer (RFC 9113, 6.9.2).
     */
    public static final int HTTP2_WINDOW = 64 * 1024 - 1;

    /** The maximum size of the head of a request of HTTP/2, in bytes. */
    public static final int HTTP2_HEAD = 64 * 1024;

    /**
     * The additional charge of a connection with HTTP/2, in bytes: its window, a head that arrives,
     * and the tables of headers in both directions.
     */
    public static final int HTTP2 = HTTP2_WINDOW + 1 + HTTP2_HEAD + 16 * 1024;

    /**
     * The charge of a request in progress, in bytes: a virtual thread, the request itself, and a
     * buffer of {@code ResponseBuffer#SMALL}.
     */
    public static final int RESPONSE = 24 * 1024;

    /** Divides the budget for clients. */
    public static ClientMemory of(MemoryBudget clients) {
        long quarter = clients.limit() / 4;
        return new ClientMemory(
                clients.part("connections", 3 * quarter),
                clients.part("request-heads", quarter),
                clients.part("responses", 3 * quarter),
                clients.part("small", quarter / 8),
                clients.part("buffers", quarter / 4),
                clients.part("proxied", quarter),
                clients.part("management", quarter / 4));
    }
}
