package io.kubemirror.api.http;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The requests that are being answered, and whether there may be more (list-watch.md#in-6). */
public final class RequestTracker {

    /** What all who come too late are told (list-watch.md#errors). */
    public static final Reply SHUTTING_DOWN =
            Reply.of(StatusErrors.shuttingDown()).with("Connection", "close");

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition quiet = lock.newCondition();
    private volatile boolean closed;
    private int open;

    /** Whether no more requests are answered. */
    public boolean isClosed() {
        return closed;
    }

    /** No more requests are answered. */
    public void close() {
        closed = true;
    }

    /** A request begins to be answered. */
    public void begun() {
        count(1);
    }

    /** It has been. */
    public void ended() {
        count(-1);
    }

    private void count(int more) {
        lock.lock();
        try {
            open += more;
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
     * @param patience how long at most
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
