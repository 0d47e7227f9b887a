package io.kubemirror.api.watch;

import io.kubemirror.mirror.Backlog;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * How far the watches of one mirror are behind, over all of them.
 *
 * <p>It is looked at when somebody wants to know, and then kept for a second, so that a scrape of
 * several numbers looks at each watch once and the watches do nothing for it. May be used from any
 * thread.
 *
 * <p>Rejected: a histogram to which every delivery adds its delay, which would cost more than the
 * delivery of a small event, and would not show a client that takes nothing at all.
 */
final class WatchLags {

    private static final long KEPT = Duration.ofSeconds(1).toNanos();

    private final Supplier<List<Backlog>> watches;
    private final LongSupplier nanos;
    private LagSample sample = new LagSample(new double[0], new double[0]);
    private long taken;

    /**
     * The lags of watches.
     *
     * @param watches what each of them has not sent yet
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
     * For how many seconds the oldest change has been waiting that a watch has not sent.
     *
     * @param quantile the part of the watches that do not lag more
     */
    double seconds(double quantile) {
        return quantile(sample().seconds(), quantile);
    }

    /** How many changes are waiting. */
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
