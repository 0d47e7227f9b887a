package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.model.Revision;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * The requests to the reflector: to synchronize again (the auditor, or because the configured
 * period is over), and to reach a revision soon (one that others show).
 *
 * <p>The reflector waits for the frames of its stream. A request of the auditor closes that stream,
 * and the reflector then finds the request here; at the end of the period the stream ends by
 * itself, because its timeout is not longer. Any synchronization fulfills a request and restarts
 * the period: a request about an earlier state of the mirror is ignored. Safe for use by any number
 * of threads: the monitor guards all fields. A stream that follows the one that is being closed is
 * closed by {@link #waitOn}.
 *
 * <p>Rejected: an interrupt, which means that the reflector must stop; and a thread that waits for
 * the end of the period.
 */
final class ResyncRequest {

    private static final int PAUSE = 20;
    private static final Duration MIN_INTERVAL = Duration.ofSeconds(1);

    private final InstantSource clock;
    private final RandomGenerator random;
    private final Duration period;
    private long answers;
    private boolean issued;
    private int differing;

    private @Nullable Revision wanted;

    /** The time until which requests for progress are ignored, because they cost a list. */
    private Instant quietUntil = Instant.MIN;

    private @Nullable WatchStream stream;

    /** The end of the period, which the first synchronization starts. */
    private Instant due = Instant.MAX;

    /**
     * Creates a request that is not issued.
     *
     * @param period the period, extended by up to a fifth at random; zero for none
     */
    ResyncRequest(InstantSource clock, RandomGenerator random, Duration period) {
        this.clock = clock;
        this.random = random;
        this.period = period;
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
     * @param objects the number of objects that differ, 0 if unknown
     */
    void request(long seen, int objects) {
        synchronized (this) {
            if (seen == answers) {
                issued = true;
                differing = objects;
            }
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

    /** Returns whether the auditor requests a synchronization. */
    synchronized boolean isRequested() {
        return issued;
    }

    /** Returns whether the period is over. */
    synchronized boolean isDue() {
        return !clock.instant().isBefore(due);
    }

    /**
     * Returns how long a watch that is opened now may last: until the end of the period, or for a
     * whole one if a synchronization is about to begin.
     */
    synchronized Duration untilDue() {
        Instant now = clock.instant();
        if (period.isZero()) {
            return Duration.ofSeconds(Long.MAX_VALUE);
        }
        return due.equals(Instant.MAX) || !now.isBefore(due) ? period : Duration.between(now, due);
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
        wanted = null;
        differing = 0;
        due =
                period.isZero()
                        ? Instant.MAX
                        : clock.instant().plus(RetryState.scattered(period, random));
        return replaced;
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
