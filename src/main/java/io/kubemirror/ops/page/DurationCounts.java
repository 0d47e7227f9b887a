package io.kubemirror.ops.page;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The durations that timers have recorded since the start, for the status page, which compares two
 * samples.
 *
 * @param count the number of recorded durations
 * @param seconds their sum
 * @param within the number of those that are not longer than a bound in seconds, by bound; the
 *     bounds are those of the metric
 */
record DurationCounts(long count, double seconds, Map<Double, Long> within) {

    /** Adds up timers of one metric. */
    static DurationCounts of(Collection<Timer> timers) {
        return new DurationCounts(
                timers.stream().mapToLong(Timer::count).sum(),
                timers.stream().mapToDouble(timer -> timer.totalTime(TimeUnit.SECONDS)).sum(),
                timers.stream()
                        .flatMap(timer -> Stream.of(timer.takeSnapshot().histogramCounts()))
                        .filter(bucket -> Double.isFinite(bucket.bucket()))
                        .collect(
                                Collectors.groupingBy(
                                        bucket -> bucket.bucket(TimeUnit.SECONDS),
                                        TreeMap::new,
                                        Collectors.summingLong(DurationCounts::count))));
    }

    private static long count(CountAtBucket bucket) {
        return (long) bucket.count();
    }
}
