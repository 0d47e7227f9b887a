package io.kubemirror.reflector;

import io.kubemirror.model.Revision;
import io.kubemirror.upstream.WatchStream;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The requests of other threads to the reflector: to synchronize again (the auditor), and to reach
 * a revision soon (a union of mirrors).
 *
 * <p>The reflector waits for the frames of its stream, so a request closes that stream, and the
 * reflector then finds the request here. Any synchronization fulfills a request: a request about an
 * earlier state of the mirror is ignored. Safe for use by any number of threads: the monitor guards
 * all fields and the closing of the stream.
 *
 * <p>Rejected: an interrupt, which means that the reflector must stop.
 */
final class ResyncRequest {

    private static final int PAUSE = 20;
    private static final Duration SHORTEST = Duration.ofSeconds(1);

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
    synchronized void request(long seen) {
        issued |= seen == answers;
        closeIfRequested();
    }

    /** Requests that the mirror reaches a revision of the server soon. */
    synchronized void requestProgress(Revision to) {
        if (!clock.instant().isBefore(quietUntil)) {
            wanted = to;
            closeIfRequested();
        }
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
        quietUntil = clock.instant().plus(pause.compareTo(SHORTEST) > 0 ? pause : SHORTEST);
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

    /** Records that a synchronization is complete. */
    synchronized void answered() {
        answers++;
        issued = false;
        wanted = null;
    }

    private void closeIfRequested() {
        if ((issued || wanted != null) && stream != null) {
            stream.close();
        }
    }
}
