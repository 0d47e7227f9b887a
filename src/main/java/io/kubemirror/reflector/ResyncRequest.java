package io.kubemirror.reflector;

import io.kubemirror.upstream.WatchStream;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * The requests to the reflector to synchronize again (the auditor, or because the configured period
 * is over), and to learn soon how far the server is (a union of mirrors).
 *
 * <p>The reflector waits for the frames of its stream. A request of the auditor closes that stream,
 * and the reflector then finds the request here; at the end of the period the stream ends by
 * itself, because its timeout is not longer. Any synchronization fulfills a request and restarts
 * the period: a request about an earlier state of the mirror is ignored. Safe for use by any number
 * of threads: the monitor guards all fields and the closing of the stream.
 *
 * <p>A server sends a bookmark two seconds before the end of a watch (list-watch.md#bm-5). A
 * request for progress therefore ends the present watch and opens a brief one.
 *
 * <p>Rejected: an interrupt, which means that the reflector must stop; and a thread that waits for
 * the end of the period.
 */
final class ResyncRequest {

    private final InstantSource clock;
    private final RandomGenerator random;
    private final Duration period;
    private long answers;
    private boolean issued;
    private int differing;

    /** Whether the next watch is to be brief. */
    private boolean progress;

    /** Whether the present watch is brief and has not sent its bookmark. */
    private boolean brief;

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
        progress = false;
        brief = false;
        differing = 0;
        due =
                period.isZero()
                        ? Instant.MAX
                        : clock.instant().plus(RetryState.scattered(period, random));
        return replaced;
    }

    private void closeIfRequested() {
        if ((issued || progress) && stream != null) {
            stream.close();
        }
    }
}
