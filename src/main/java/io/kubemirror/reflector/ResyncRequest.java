package io.kubemirror.reflector;

import io.kubemirror.upstream.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * The auditor's request to the reflector to synchronize again.
 *
 * <p>The reflector waits for the frames of its stream, so a request closes that stream, and the
 * reflector then finds the request here. Any synchronization fulfills a request: a request about an
 * earlier state of the mirror is ignored. Safe for use by any number of threads: the monitor guards
 * all fields and the closing of the stream.
 *
 * <p>Rejected: an interrupt, which means that the reflector must stop.
 */
final class ResyncRequest {

    private long answers;
    private boolean issued;
    private int differing;
    private @Nullable WatchStream stream;

    /**
     * Returns the number of complete synchronizations, which identifies the state that a request is
     * about.
     */
    synchronized long answers() {
        return answers;
    }

    /**
     * Requests a synchronization.
     *
     * @param seen the value of {@link #answers} at the time of the comparison that failed
     * @param objects the number of objects that differ, 0 if unknown
     */
    synchronized void request(long seen, int objects) {
        if (seen == answers) {
            issued = true;
            differing = objects;
        }
        closeIfRequested();
    }

    /** Sets the stream whose frames the reflector waits for from now on. */
    synchronized void waitOn(WatchStream now) {
        stream = now;
        closeIfRequested();
    }

    /** Returns whether a synchronization is requested. */
    synchronized boolean isRequested() {
        return issued;
    }

    /**
     * Records that a synchronization is complete.
     *
     * @return the number of objects that differed and that it has replaced
     */
    synchronized int answered() {
        int replaced = differing;
        answers++;
        issued = false;
        differing = 0;
        return replaced;
    }

    private void closeIfRequested() {
        if (issued && stream != null) {
            stream.close();
        }
    }
}
