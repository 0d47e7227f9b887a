package io.kubemirror.reflector;

import io.kubemirror.upstream.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * The requests of other threads to the reflector: to synchronize again (the auditor), and to learn
 * soon how far the server is (a union of mirrors).
 *
 * <p>The reflector waits for the frames of its stream, so a request closes that stream, and the
 * reflector then finds the request here. Any synchronization fulfills a request: a request about an
 * earlier state of the mirror is ignored. Safe for use by any number of threads: the monitor guards
 * all fields and the closing of the stream.
 *
 * <p>A server sends a bookmark two seconds before the end of a watch (list-watch.md#bm-5). A
 * request for progress therefore ends the present watch and opens a brief one.
 *
 * <p>Rejected: an interrupt, which means that the reflector must stop.
 */
final class ResyncRequest {

    private long answers;
    private boolean issued;
    private int differing;

    /** Whether the next watch is to be brief. */
    private boolean progress;

    /** Whether the present watch is brief and has not sent its bookmark. */
    private boolean brief;

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

    /** Requests a bookmark soon, unless one is on its way. */
    synchronized void requestProgress() {
        progress |= !brief;
        closeIfRequested();
    }

    /**
     * Records that a watch is about to be opened.
     *
     * @return whether it is to be brief
     */
    synchronized boolean beginWatch() {
        brief = progress;
        progress = false;
        return brief;
    }

    /** Records that a bookmark has arrived. */
    synchronized void bookmarked() {
        brief = false;
    }

    /** Returns whether a brief watch is requested. */
    synchronized boolean isProgressRequested() {
        return progress;
    }

    /** Returns whether the last watch was brief and has sent no bookmark. */
    synchronized boolean lacksBookmark() {
        return brief;
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
        progress = false;
        brief = false;
        differing = 0;
        return replaced;
    }

    private void closeIfRequested() {
        if ((issued || progress) && stream != null) {
            stream.close();
        }
    }
}
