package io.kubemirror.api.http;

import module java.base;

/**
 * Tracks the requests in progress, and refuses new ones after it is closed (list-watch.md#in-6).
 */
public final class RequestTracker {

    /** Each request in progress has one permit. */
    private final Semaphore permits = new Semaphore(Integer.MAX_VALUE);

    /** Ends the requests that would not end on their own. */
    private final Map<Runnable, Optional<RequestCredentials>> endings = new ConcurrentHashMap<>();

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
        endings.keySet().forEach(Runnable::run);
    }

    /**
     * Registers a request in progress that would not end on its own. The look at {@code closed} is
     * after the registration, so none is missed by {@link #close}.
     *
     * @param ending ends the request; called on any thread, possibly more than once
     * @param client the credentials by which kubemirror permits it to go on, empty if kubemirror
     *     needs none or the API server permits it
     */
    public void register(Runnable ending, Optional<RequestCredentials> client) {
        endings.put(ending, client);
        if (closed) {
            ending.run();
        }
    }

    /** Removes a request that has ended. */
    public void remove(Runnable ending) {
        endings.remove(ending);
    }

    /** Returns the ends of the requests that would not end on their own, with their credentials. */
    public Map<Runnable, Optional<RequestCredentials>> endings() {
        return endings;
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
