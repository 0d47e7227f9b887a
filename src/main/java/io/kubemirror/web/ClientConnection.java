package io.kubemirror.web;

import io.kubemirror.model.Status;

import java.net.InetAddress;
import java.util.Optional;

/**
 * A connection of a client: why its requests are refused, if they are, and whether one is on its
 * way. May be used from any thread.
 */
final class ClientConnection {

    private final InetAddress client;
    private final Optional<Status> refusal;

    /** This and all below it are guarded by this. */
    private int answering;

    private boolean shared;
    private boolean coming = true;
    private long since;
    private long heard;

    /**
     * A connection on which the first request is awaited.
     *
     * @param client the client's address
     * @param refusal what requests are answered with if the connection is one too many
     * @param now the time in nanoseconds, from any origin
     */
    ClientConnection(InetAddress client, Optional<Status> refusal, long now) {
        this.client = client;
        this.refusal = refusal;
        this.since = now;
    }

    /** The client's address. */
    InetAddress client() {
        return client;
    }

    /** What requests are answered with if the connection is one too many. */
    Optional<Status> refusal() {
        return refusal;
    }

    /**
     * A request has arrived.
     *
     * @param overlapping whether others may arrive before it is answered
     */
    synchronized void begun(boolean overlapping) {
        answering++;
        shared = overlapping;
        coming = false;
    }

    /**
     * A request has been answered.
     *
     * @param bytes how many have been received so far
     */
    synchronized void ended(long bytes) {
        answering--;
        heard = bytes;
    }

    /**
     * Whether the next request takes too long to arrive. To be asked time and again, since it is by
     * growth that the beginning of a request is noticed. A client that has been refused is late to
     * hang up. Where requests may overlap, none is ever late: that protocol has timeouts of its
     * own.
     *
     * @param bytes how many have been received so far
     * @param now the time in nanoseconds, from the same origin
     * @param patience how long a request may take, in nanoseconds
     */
    synchronized boolean isLate(long bytes, long now, long patience) {
        if (answering > 0 || shared) {
            return false;
        }
        if (!coming && (bytes > heard || refusal.isPresent())) {
            coming = true;
            since = now;
        }
        return coming && now - since >= patience;
    }
}
