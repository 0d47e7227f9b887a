package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.Revision;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * The requests to the reflector: to synchronize again, from the auditor, and to reach a revision
 * soon, which others show.
 *
 * <p>The reflector waits for the frames of its stream. A request closes that stream, and the
 * reflector then finds the request here. Any synchronization fulfills a request: one about an
 * earlier state of the mirror is ignored. Safe for use by any number of threads: the monitor guards
 * all fields. A stream that follows the one that is being closed is closed by {@link #waitOn}.
 *
 * <p>Rejected: an interrupt, which means that the reflector must stop.
 */
final class ResyncRequest {

    private static final int PAUSE = 20;
    private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

    private final InstantSource clock;
    private long answers;
    private boolean issued;
    private @Nullable Revision wanted;

    /** The time until which requests for progress are ignored, because they cost a list. */
    private Instant quietUntil = Instant.MIN;

    private @Nullable WatchStream stream;

    ResyncRequest(InstantSource clock) {
        this.clock = clock;
    }

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
     */
    void request(long seen) {
        synchronized (this) {
            issued |= seen == answers;
        }
        closeIfRequested();
    }

    /** Requests that the mirror reaches a revision of the server soon. */
    void requestProgress(Revision to) {
        synchronized (this) {
            if (!clock.instant().isBefore(quietUntil)) {
                wanted = to;
            }
        }
        closeIfRequested();
    }

    /** Returns whether progress is requested. */
    synchronized boolean isProgressRequested() {
        return wanted != null;
    }

    /** Returns the requested revision, and ignores further requests until {@link #progressed}. */
    synchronized @Nullable Revision takeProgress() {
        Revision taken = wanted;
        wanted = null;
        quietUntil = taken == null ? quietUntil : Instant.MAX;
        return taken;
    }

    /**
     * Records the end of an attempt. Attempts take at most about a twentieth of the time, so that a
     * large collection is not read all the time.
     */
    synchronized void progressed(Duration took) {
        Duration pause = took.multipliedBy(PAUSE);
        quietUntil = clock.instant().plus(pause.compareTo(MIN_INTERVAL) > 0 ? pause : MIN_INTERVAL);
    }

    /**
     * Sets the stream whose frames the reflector waits for from now on. A request for progress that
     * came while it was opened is dropped, so that the stream gets the time to bring the progress.
     * Otherwise it would be closed before its first frame, again and again if the server takes long
     * to open it.
     */
    void waitOn(WatchStream now) {
        synchronized (this) {
            stream = now;
            if (wanted != null) {
                wanted = null;
                progressed(Duration.ZERO);
            }
        }
        closeIfRequested();
    }

    /** Returns whether a synchronization is requested. */
    synchronized boolean isRequested() {
        return issued;
    }

    /** Records that a synchronization is complete. */
    synchronized void answered() {
        answers++;
        issued = false;
        wanted = null;
    }

    /** Without the monitor, as a connection may take its time to close. */
    private void closeIfRequested() {
        WatchStream open = streamIfRequested();
        if (open != null) {
            open.close();
        }
    }

    private synchronized @Nullable WatchStream streamIfRequested() {
        return issued || wanted != null ? stream : null;
    }
}
