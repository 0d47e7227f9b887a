package io.kubemirror.api.http;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tracks the requests in progress, and refuses new ones after it is closed (list-watch.md#in-6).
 */
public final class RequestTracker {

    /** The response to requests that arrive during shutdown (list-watch.md#errors). */
    public static final Reply SHUTTING_DOWN =
            Reply.of(StatusErrors.shuttingDown()).with("Connection", "close");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition quiet = lock.newCondition();

    /** Written under the lock, so no request begins after the end of {@link #close}. */
    private volatile boolean closed;

    private int open;

    /** Whether new requests are refused. */
    public boolean isClosed() {
        return closed;
    }

    /** Refuses new requests from now on. */
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records the start of a request.
     *
     * @return false if new requests are refused; {@link #end} must not be called then
     */
    public boolean begin() {
        lock.lock();
        try {
            open += closed ? 0 : 1;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Records the end of a request. */
    public void end() {
        lock.lock();
        try {
            open--;
            if (open == 0) {
                quiet.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until all requests have been answered.
     *
     * @param patience the maximum time to wait
     * @throws InterruptedException if the thread is interrupted
     */
    public void awaitLast(Duration patience) throws InterruptedException {
        long left = patience.toNanos();
        lock.lock();
        try {
            while (open > 0 && left > 0) {
                left = quiet.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
