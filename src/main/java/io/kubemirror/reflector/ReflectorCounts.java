package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.source.WatchFrame;

import org.jspecify.annotations.Nullable;

/**
 * Counters and timings of a reflector since it started, read by metrics.
 *
 * <p>Written by the reflector, read by any thread.
 */
public final class ReflectorCounts {

    /** An adder is never replaced, and each is exact when no thread is counting. */
    private final Map<Counter, LongAdder> values = new ConcurrentHashMap<>();

    private final List<BiConsumer<TimedSpan, Duration>> listeners = new CopyOnWriteArrayList<>();

    /** The operations that are timed. */
    public enum TimedSpan {
        /** A watch-list, from the request to the end of its initial events. */
        WATCH_LIST,
        /** A list, from the request for its first page to the end of its last. */
        LIST,
        /** A list with a watch beside it. */
        LIST_WATCH_PARALLEL,
        /**
         * The time from a change, by the server's clock with a resolution of seconds, until readers
         * can see it. Covers the changes whose time is known, see {@link SyncLag}.
         */
        SYNC_LAG
    }

    /** The counters. */
    public enum Counter {
        /** Lists that arrived completely. */
        LISTS_COMPLETED,
        /** Lists whose revision or token was expired, or was in the future. */
        LISTS_EXPIRED,
        /** Lists that failed for another reason. */
        LISTS_FAILED,
        /** Watches that ended properly and were reopened where they ended. */
        WATCHES_ENDED,
        /** Watches that ended because the revision was expired (410). */
        WATCHES_EXPIRED,
        /** Watches that broke, or that the server refused. */
        WATCHES_FAILED,
        /** Retries after the server was unreachable. */
        RETRIES_UNREACHABLE,
        /** Retries after the server throttled a request (429). */
        RETRIES_THROTTLED,
        /** Retries after a refused request, for example because of missing permissions. */
        RETRIES_REFUSED,
        /** Retries after an expired revision (410). */
        RETRIES_EXPIRED,
        /** Retries after anything else, such as a stream that broke. */
        RETRIES_OTHER,
        /** Additions received. */
        EVENTS_ADDED,
        /** Modifications received. */
        EVENTS_MODIFIED,
        /** Deletions received. */
        EVENTS_DELETED,
        /** Bookmarks received. */
        EVENTS_BOOKMARK,
        /** Resynchronizations that local watchers saw as ordinary changes. */
        RESYNCS_BRIDGED,
        /** Resynchronizations that ended local watches. */
        RESYNCS_BROKEN,
        /** Audits that found the mirror equal to the server. */
        AUDITS_CONSISTENT,
        /** Audits that found a difference. */
        AUDITS_DIFFERENT,
        /** Audits without a result. */
        AUDITS_FAILED
    }

    /** Returns the value of a counter. */
    public long get(Counter counter) {
        LongAdder value = values.get(counter);
        return value == null ? 0 : value.sum();
    }

    /** Increments a counter. */
    public void count(Counter counter) {
        values.computeIfAbsent(counter, _ -> new LongAdder()).increment();
    }

    /**
     * Registers a listener for timings.
     *
     * @param listener called by the reflector's thread, so it must return quickly
     */
    public void listen(BiConsumer<TimedSpan, Duration> listener) {
        listeners.add(listener);
    }

    /** Reports a timing to the listeners. */
    public void time(TimedSpan span, Duration duration) {
        listeners.forEach(listener -> listener.accept(span, duration));
    }

    /**
     * Measures the time from a change at the server until readers have it, for the changes that the
     * server dates. Used by the reflector's thread.
     *
     * <ul>
     *   <li>An object that appears in a mirror without selectors was created at its creation time.
     *       An old object may enter a selection at any time, so its appearance there says nothing.
     *   <li>A watch delivers every single change of an object. If the latest time in the {@code
     *       managedFields} of a modified object is later than any time that the mirror has seen
     *       before, then it is later than in the object's previous state, so this very change was
     *       made at that time. Changes that the server does not date, such as the binding of a pod,
     *       leave the time as it was and are not measured. This holds with and without selectors.
     * </ul>
     *
     * <p>One time is enough for all objects, because the latest time of the mirror is not before
     * that of any object in it. The times of listed objects are not read: they are before the end
     * of the list, give or take the difference of the two clocks.
     */
    static final class SyncLag {

        /**
         * The largest expected difference of two clocks. Times of the server that are further in
         * the future are wrong, and would keep others from being the latest.
         */
        private static final Duration SKEW = Duration.ofMinutes(1);

        private final ReflectorCounts counts;

        /** No time of an object in the mirror is later. */
        private Instant latest = Instant.MAX;

        SyncLag(ReflectorCounts counts) {
            this.counts = counts;
        }

        /** Records that a list is the content of the mirror. */
        void synced(Instant now) {
            latest = now.plus(SKEW);
        }

        /**
         * Records that readers can see a change.
         *
         * @param whole whether the mirror has no selectors, so that an object appears in it because
         *     it was created
         */
        void shown(WatchFrame.ObjectEvent event, boolean whole, Instant now) {
            switch (event) {
                case WatchFrame.Added(var _, var created, var changed) -> {
                    dated(changed, now);
                    report(whole ? created : null, now);
                }
                case WatchFrame.Modified(var _, var changed) -> report(dated(changed, now), now);
                case WatchFrame.Deleted _ -> {}
            }
        }

        /** Returns the time of a change, null if it may be that of an earlier one. */
        private @Nullable Instant dated(@Nullable Instant changed, Instant now) {
            if (changed == null || !changed.isAfter(latest) || changed.isAfter(now.plus(SKEW))) {
                return null;
            }
            latest = changed;
            return changed;
        }

        private void report(@Nullable Instant changed, Instant now) {
            if (changed != null) {
                Duration between = Duration.between(changed, now);
                counts.time(TimedSpan.SYNC_LAG, between.isNegative() ? Duration.ZERO : between);
            }
        }
    }
}
