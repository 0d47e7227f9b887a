package io.kubemirror.api.http;

import module java.base;

/**
 * Tracks the requests in progress, and refuses new ones after it is closed (list-watch.md#in-6).
 */
public final class RequestTracker {

    /** Each request in progress has one permit. */
    private final Semaphore permits = new Semaphore(Integer.MAX_VALUE);

    /** Ends the requests that would not end on their own. */
    private final Set<Runnable> endings = ConcurrentHashMap.newKeySet();

    /** Those that may go on only while their clients are permitted to send them. */
    private final Map<Runnable, Optional<RequestCredentials>> guarded = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /** Returns the response to requests that arrive during shutdown (list-watch.md#errors). */
    public static Reply shuttingDown() {
        return Reply.of(StatusErrors.shuttingDown()).with("Connection", "close");
    }

    /** Whether new requests are refused. */
    public boolean isClosed() {
        return closed;
    }

    /** Refuses new requests from now on, and ends those that would not end on their own. */
    public void close() {
        closed = true;
        endings.forEach(Runnable::run);
    }

    /**
     * Registers a request in progress that would not end on its own. The look at {@code closed} is
     * after the registration, so none is missed by {@link #close}.
     *
     * @param ending ends the request; called on any thread, possibly more than once
     */
    public void register(Runnable ending) {
        endings.add(ending);
        if (closed) {
            ending.run();
        }
    }

    /**
     * Registers a request in progress that would not end on its own, and that kubemirror, not the
     * API server, permits its client.
     *
     * @param client the credentials that it was admitted with, empty if none were required
     */
    public void register(Runnable ending, Optional<RequestCredentials> client) {
        guarded.put(ending, client);
        register(ending);
    }

    /** Removes a request that has ended. */
    public void remove(Runnable ending) {
        endings.remove(ending);
        guarded.remove(ending);
    }

    /** Returns the ends of the requests that kubemirror permits, and how they were admitted. */
    public Map<Runnable, Optional<RequestCredentials>> guarded() {
        return guarded;
    }

    /**
     * Records the start of a request. The second look at {@code closed} is after the permit is
     * taken, so no request begins that {@link #awaitLast} does not see after {@link #close}.
     *
     * @return false if new requests are refused; {@link #end} must not be called then
     */
    public boolean begin() {
        if (closed || !permits.tryAcquire()) {
            return false;
        }
        if (closed) {
            end();
            return false;
        }
        return true;
    }

    /** Records the end of a request. */
    public void end() {
        permits.release();
    }

    /** Returns the number of requests in progress. */
    public int inProgress() {
        return Integer.MAX_VALUE - permits.availablePermits();
    }

    /**
     * Waits until all requests have been answered.
     *
     * @param patience the maximum time to wait
     * @throws InterruptedException if the thread is interrupted
     */
    public void awaitLast(Duration patience) throws InterruptedException {
        if (permits.tryAcquire(Integer.MAX_VALUE, patience.toNanos(), TimeUnit.NANOSECONDS)) {
            permits.release(Integer.MAX_VALUE);
        }
    }
}
