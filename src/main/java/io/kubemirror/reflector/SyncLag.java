package io.kubemirror.reflector;

import io.kubemirror.reflector.ReflectorCounts.TimedSpan;
import io.kubemirror.source.WatchFrame;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/**
 * Measures the time from a change at the server until readers have it, for the changes that the
 * server dates. Used by the reflector's thread.
 *
 * <ul>
 *   <li>An object that appears in a mirror without selectors was created at its creation time. An
 *       old object may enter a selection at any time, so its appearance there says nothing.
 *   <li>A watch delivers every single change of an object. If the latest time in the {@code
 *       managedFields} of a modified object is later than any time that the mirror has seen before,
 *       then it is later than in the object's previous state, so this very change was made at that
 *       time. Changes that the server does not date, such as the binding of a pod, leave the time
 *       as it was and are not measured. This holds with and without selectors.
 * </ul>
 *
 * <p>One time is enough for all objects, because the latest time of the mirror is not before that
 * of any object in it. The times of listed objects are not read: they are before the end of the
 * list, give or take the difference of the two clocks.
 */
final class SyncLag {

    /**
     * The largest expected difference of two clocks. Times of the server that are further in the
     * future are wrong, and would keep others from being the latest.
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
     * Records that readers can see an object that appeared.
     *
     * @param created whether it appeared because it was created, as in a mirror without selectors
     * @return the delay, null if it is unknown
     */
    @Nullable Duration added(WatchFrame.Added added, boolean created, Instant now) {
        isLatest(added.changed(), now);
        Instant time = added.created();
        return created && time != null ? report(time, now) : null;
    }

    /**
     * Records that readers can see a change of an object that was in the mirror before.
     *
     * @return the delay, null if it is unknown
     */
    @Nullable Duration modified(WatchFrame.Modified modified, Instant now) {
        Instant changed = modified.changed();
        return changed != null && isLatest(changed, now) ? report(changed, now) : null;
    }

    private boolean isLatest(@Nullable Instant changed, Instant now) {
        if (changed == null || !changed.isAfter(latest) || changed.isAfter(now.plus(SKEW))) {
            return false;
        }
        latest = changed;
        return true;
    }

    private Duration report(Instant changed, Instant now) {
        Duration between = Duration.between(changed, now);
        Duration lag = between.isNegative() ? Duration.ZERO : between;
        counts.time(TimedSpan.SYNC_LAG, lag);
        return lag;
    }
}
