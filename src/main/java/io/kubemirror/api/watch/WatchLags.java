package io.kubemirror.api.watch;

import io.kubemirror.mirror.Mirror.Backlog;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Statistics of how far the watches of one mirror lag behind it.
 *
 * <p>The lags are collected on demand and cached for a second. A scrape of several values therefore
 * visits each watch once, and watches do no work for the statistics. Thread-safe.
 *
 * <p>Rejected: a histogram of delivery delays, which would cost more than the delivery of a small
 * event and would not show a client that accepts no bytes at all.
 */
final class WatchLags {

    private static final long KEPT = Duration.ofSeconds(1).toNanos();

    private final Supplier<List<Backlog>> watches;
    private final LongSupplier nanos;
    private LagSample sample = new LagSample(new double[0], new double[0]);
    private long taken;

    /**
     * Creates the statistics.
     *
     * @param watches provides the backlog of each watch
     * @param nanos a monotonic clock in nanoseconds
     */
    WatchLags(Supplier<List<Backlog>> watches, LongSupplier nanos) {
        this.watches = watches;
        this.nanos = nanos;
        this.taken = nanos.getAsLong() - KEPT;
    }

    /** Lags in ascending order. */
    @SuppressWarnings("ArrayRecordComponent")
    private record LagSample(double[] seconds, double[] changes) {

        private static LagSample of(List<Backlog> all) {
            return new LagSample(
                    sorted(all, backlog -> backlog.age().toMillis() / 1000.0),
                    sorted(all, Backlog::changes));
        }

        private static double[] sorted(List<Backlog> all, ToDoubleFunction<Backlog> number) {
            double[] values = all.stream().mapToDouble(number).toArray();
            Arrays.sort(values);
            return values;
        }
    }

    /**
     * Returns the age of the oldest unsent change, in seconds.
     *
     * @param quantile the fraction of watches that lag at most this much
     */
    double seconds(double quantile) {
        return quantile(sample().seconds(), quantile);
    }

    /** Returns the number of unsent changes. */
    double changes(double quantile) {
        return quantile(sample().changes(), quantile);
    }

    private synchronized LagSample sample() {
        long now = nanos.getAsLong();
        if (now - taken >= KEPT) {
            sample = LagSample.of(watches.get());
            taken = now;
        }
        return sample;
    }

    private static double quantile(double[] ascending, double quantile) {
        int rank = (int) Math.ceil(quantile * ascending.length);
        return ascending.length == 0 ? 0 : ascending[Math.max(0, rank - 1)];
    }
}
