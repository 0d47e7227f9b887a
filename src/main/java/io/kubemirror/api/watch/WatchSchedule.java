package io.kubemirror.api.watch;

import io.kubemirror.api.http.ApiTimings;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When a watch has to do something although nothing happens: bookmarks, signs of life, the end.
 *
 * <p>Used by the watch's own thread only. All times are nanoseconds since the watch began.
 */
final class WatchSchedule {

    /** No watch lasts longer; more would not be countable in nanoseconds. */
    static final Duration LONGEST = Duration.ofDays(365);

    private final ApiTimings timing;
    private final LongSupplier nanos;
    private final Needs needs;
    private final long begin;
    private long nextBookmark;
    private long lastSent;

    /**
     * What a watch needs.
     *
     * @param bookmarks whether it gets bookmarks
     * @param keepAlive whether it gets signs of life
     * @param length how long it lasts
     */
    record Needs(boolean bookmarks, boolean keepAlive, Duration length) {}

    /**
     * A schedule which begins now.
     *
     * @param nanos a monotonic clock in nanoseconds
     */
    WatchSchedule(ApiTimings timing, LongSupplier nanos, Needs needs) {
        this.timing = timing;
        this.nanos = nanos;
        this.needs = needs;
        this.begin = nanos.getAsLong();
        this.nextBookmark = bookmarkAfter(0);
    }

    /** When something else than a change is due, on the clock that was given. */
    long due() {
        long next = needs.length().toNanos();
        if (needs.bookmarks()) {
            next = Math.min(next, nextBookmark);
        }
        if (needs.keepAlive()) {
            next = Math.min(next, lastSent + timing.keepAlive().toNanos());
        }
        return begin + next;
    }

    /** Whether a bookmark is due; if so, the next one is planned (list-watch.md#bm-4, #bm-5). */
    boolean takeBookmark() {
        long now = now();
        if (!needs.bookmarks() || now < nextBookmark) {
            return false;
        }
        nextBookmark = bookmarkAfter(now);
        return true;
    }

    /** Whether a sign of life is due (list-watch.md#se-8). */
    boolean isSilent() {
        return needs.keepAlive() && now() >= lastSent + timing.keepAlive().toNanos();
    }

    /** Something has been sent. */
    void sent() {
        if (needs.keepAlive()) {
            lastSent = now();
        }
    }

    /** Whether the watch is at its end (list-watch.md#wa-27). */
    boolean isOver() {
        return now() >= needs.length().toNanos();
    }

    /** How long the watch has lasted. */
    Duration age() {
        return Duration.ofNanos(now());
    }

    private long now() {
        return nanos.getAsLong() - begin;
    }

    /** The next regular bookmark, or the one shortly before the end if that comes first. */
    private long bookmarkAfter(long now) {
        long regular = now + timing.bookmarks().toNanos();
        long last = needs.length().minus(timing.lastBookmark()).toNanos();
        return last > now ? Math.min(last, regular) : regular;
    }
}
