package io.kubemirror.reflector;

import io.kubemirror.upstream.WatchStream;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The auditor's request to the reflector to synchronize again.
 *
 * <p>The reflector waits for the frames of its stream, so a request closes that stream, and the
 * reflector then finds the request here. Any synchronization fulfills a request: a request about an
 * earlier state of the mirror is ignored. Safe for use by any number of threads.
 *
 * <p>Rejected: an interrupt, which means that the reflector must stop.
 */
final class ResyncRequest {

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock, like all fields below, including the closing of the stream. */
    private long answers;

    private boolean issued;
    private @Nullable WatchStream stream;

    /**
     * Returns the number of complete synchronizations, which identifies the state that a request is
     * about.
     */
    long answers() {
        lock.lock();
        try {
            return answers;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Requests a synchronization.
     *
     * @param seen the value of {@link #answers} at the time of the comparison that failed
     */
    void request(long seen) {
        lock.lock();
        try {
            issued |= seen == answers;
            closeIfRequested();
        } finally {
            lock.unlock();
        }
    }

    /** Sets the stream whose frames the reflector waits for from now on. */
    void waitOn(WatchStream now) {
        lock.lock();
        try {
            stream = now;
            closeIfRequested();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a synchronization is requested. */
    boolean isRequested() {
        lock.lock();
        try {
            return issued;
        } finally {
            lock.unlock();
        }
    }

    /** Records that a synchronization is complete. */
    void answered() {
        lock.lock();
        try {
            answers++;
            issued = false;
        } finally {
            lock.unlock();
        }
    }

    private void closeIfRequested() {
        if (issued && stream != null) {
            stream.close();
        }
    }
}
