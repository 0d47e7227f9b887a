package io.kubemirror.api.watch;

import io.kubemirror.api.http.ApiTimings;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The timed actions of a watch: bookmarks, keep-alive comments, and the end.
 *
 * <p>Used by one thread at a time, within a run of the watch's task. All times are nanoseconds
 * since the watch began, except for {@link #due()}.
 */
final class WatchSchedule {

    /** The maximum duration of a watch. A longer one could overflow the nanosecond arithmetic. */
    static final Duration LONGEST = Duration.ofDays(365);

    /** A time after the end of every watch. */
    private static final long NEVER = Long.MAX_VALUE;

    private final ApiTimings timing;
    private final LongSupplier nanos;
    private final long begin;
    private final long end;
    private long nextBookmark;
    private long nextKeepAlive;

    /**
     * Creates a schedule that begins now.
     *
     * @param nanos a monotonic clock in nanoseconds
     * @param bookmarks whether bookmarks are sent
     * @param keepAlive whether keep-alive comments are sent
     * @param length the duration of the watch
     */
    WatchSchedule(
            ApiTimings timing,
            LongSupplier nanos,
            boolean bookmarks,
            boolean keepAlive,
            Duration length) {
        this.timing = timing;
        this.nanos = nanos;
        this.begin = nanos.getAsLong();
        this.end = length.toNanos();
        this.nextBookmark = bookmarks ? bookmarkAfter(0) : NEVER;
        this.nextKeepAlive = keepAlive ? timing.keepAlive().toNanos() : NEVER;
    }

    /** Returns when the next timed action is due, on the given clock. */
    long due() {
        return begin + Math.min(end, Math.min(nextBookmark, nextKeepAlive));
    }

    /** Whether a bookmark is due. If so, the next one is scheduled (list-watch.md#bm-4, #bm-5). */
    boolean takeBookmark() {
        long now = now();
        if (now < nextBookmark) {
            return false;
        }
        nextBookmark = bookmarkAfter(now);
        return true;
    }

    /** Whether a keep-alive comment is due (list-watch.md#se-8). */
    boolean isSilent() {
        return now() >= nextKeepAlive;
    }

    /** Records that something has been sent. */
    void sent() {
        if (nextKeepAlive != NEVER) {
            nextKeepAlive = now() + timing.keepAlive().toNanos();
        }
    }

    /** Whether the watch has reached its timeout (list-watch.md#wa-27). */
    boolean isOver() {
        return now() >= end;
    }

    /** Returns the later of a time on the given clock and the beginning of the watch. */
    long sinceBegin(long time) {
        return time - begin > 0 ? time : begin;
    }

    /** Returns the age of the watch. */
    Duration age() {
        return Duration.ofNanos(now());
    }

    private long now() {
        return nanos.getAsLong() - begin;
    }

    /**
     * Returns the time of the next regular bookmark, or of the one shortly before the end if that
     * comes first.
     */
    private long bookmarkAfter(long now) {
        long regular = now + timing.bookmarks().toNanos();
        long last = end - timing.lastBookmark().toNanos();
        return last > now ? Math.min(last, regular) : regular;
    }
}
