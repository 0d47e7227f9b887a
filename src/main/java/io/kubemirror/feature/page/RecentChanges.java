package io.kubemirror.feature.page;

import module java.base;

import io.kubemirror.app.health.MirrorHistory;
import io.kubemirror.mirror.Mirror;

/**
 * Counts the changes in the history of mirrors, so that the charts of the status page begin with
 * what happened before it was opened. Safe for use by any thread.
 *
 * @param nanos the monotonic clock of the mirrors
 */
record RecentChanges(LongSupplier nanos) {

    /** The number of seconds that are counted, as many as the charts show. */
    private static final int SECONDS = 120;

    /** Returns the changes in each of the last seconds, oldest first, by mirror. */
    Map<String, int[]> of(List<Mirror> mirrors) {
        Map<String, int[]> counts = new TreeMap<>();
        for (Mirror mirror : mirrors) {
            counts.put(mirror.scope().toString(), count(mirror));
        }
        return counts;
    }

    private int[] count(Mirror mirror) {
        int[] counts = new int[SECONDS];
        long now = nanos.getAsLong();
        MirrorHistory.of(mirror)
                .mapToLong(logged -> Math.max(0, now - logged.nanos()))
                .map(TimeUnit.NANOSECONDS::toSeconds)
                .filter(age -> age < SECONDS)
                .forEach(age -> counts[SECONDS - 1 - (int) age]++);
        return counts;
    }
}
