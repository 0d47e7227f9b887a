package io.kubemirror.reflector;

import io.kubemirror.upstream.WatchStream;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A demand to synchronise anew, which the auditor leaves for the reflector.
 *
 * <p>The reflector waits for the frames of its stream, so a summons closes that stream; whoever
 * then finds it ended looks here for the reason. A synchronisation, for whatever reason, answers
 * every summons: one about what the mirror was before it is ignored. Safe for any number of
 * threads.
 *
 * <p>Rejected: an interrupt, which means that the reflector is to stop.
 */
final class ResyncRequest {

    private final ReentrantLock lock = new ReentrantLock();

    /** This and all below it are guarded by the lock, closing the stream included. */
    private long answers;

    private boolean issued;
    private @Nullable WatchStream stream;

    /** How many synchronisations are complete: what a summons has to be about. */
    long answers() {
        lock.lock();
        try {
            return answers;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Demands a synchronisation.
     *
     * @param seen the number of {@link #answers} when that was looked at which now proves wrong
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

    /** From now on the reflector waits for the frames of this stream. */
    void waitOn(WatchStream now) {
        lock.lock();
        try {
            stream = now;
            closeIfRequested();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a synchronisation is demanded. */
    boolean isRequested() {
        lock.lock();
        try {
            return issued;
        } finally {
            lock.unlock();
        }
    }

    /** A synchronisation is complete. */
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
