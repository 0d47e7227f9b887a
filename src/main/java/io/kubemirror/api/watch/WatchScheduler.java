package io.kubemirror.api.watch;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.ListOptions.StreamingOptions;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.api.watch.WatchSchedule.StateNotices;
import io.kubemirror.api.watch.WatchService.WatchStart;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Decides when watches do what without a signal. Thread-safe. */
public final class WatchScheduler {

    /** The shortest interval of bookmarks that a client may ask for (list-watch.md#bm-11). */
    private static final long MIN_BOOKMARK_SECONDS = 1;

    private final Supplier<ApiTimings> timing;
    private final Supplier<BatchProperties> batch;
    private final StalenessPolicy staleness;
    private final LongSupplier nanos;
    private final InstantSource clock;
    private final RandomGenerator random;

    /**
     * Creates a scheduler.
     *
     * @param timing the present intervals and durations; a watch keeps those that it begins with
     * @param batch the present limits; a watch keeps those that it begins with
     * @param nanos a monotonic clock in nanoseconds
     * @param clock provides the start times of watches
     * @param random draws random durations; used by many threads
     */
    public WatchScheduler(
            Supplier<ApiTimings> timing,
            Supplier<BatchProperties> batch,
            StalenessPolicy staleness,
            LongSupplier nanos,
            InstantSource clock,
            RandomGenerator random) {
        this.timing = timing;
        this.batch = batch;
        this.staleness = staleness;
        this.nanos = nanos;
        this.clock = clock;
        this.random = random;
    }

    /** Returns the clock of the schedules, in nanoseconds. */
    LongSupplier nanos() {
        return nanos;
    }

    /** Returns the present time. */
    Instant today() {
        return clock.instant();
    }

    /** Returns the schedule of a watch, or of a connection with several, that begins now. */
    WatchSchedule schedule(WatchStart start) {
        CollectionRequest wanted = start.wanted();
        StreamingOptions streaming = wanted.options().streaming();
        boolean serverSent = start.frames().watchFraming() == WatchFraming.SERVER_SENT_EVENTS;
        WatchSchedule schedule =
                new WatchSchedule(
                        timing.get(),
                        nanos,
                        bookmarks(streaming),
                        serverSent,
                        length(streaming),
                        batch.get(),
                        states(wanted));
        // The reconnection delay (list-watch.md#se-8).
        return serverSent
                ? schedule.greet(FrameBatch.sign(FrameEncoder.retry(random.nextInt(1_000, 3_001))))
                : schedule;
    }

    /** Returns the schedule of one of several watches of a connection. */
    WatchSchedule part(WatchSchedule connection, CollectionRequest wanted) {
        return connection.part(states(wanted));
    }

    private @Nullable StateNotices states(CollectionRequest wanted) {
        return wanted.options().streaming().states()
                ? new StateNotices(wanted.mirror(), staleness)
                : null;
    }

    /** Returns the interval of bookmarks, zero for none (list-watch.md#bm-1, #bm-4, #bm-11). */
    private Duration bookmarks(StreamingOptions streaming) {
        if (!streaming.bookmarks()) {
            return Duration.ZERO;
        }
        Long wanted = streaming.bookmarkSeconds();
        return wanted == null
                ? timing.get().bookmarks()
                : Duration.ofSeconds(
                        Math.clamp(wanted, MIN_BOOKMARK_SECONDS, WatchSchedule.MAX.toSeconds()));
    }

    /**
     * Returns the duration of a watch: the one that the client requested, or a random one
     * (list-watch.md#wa-27).
     */
    private Duration length(StreamingOptions streaming) {
        Long seconds = streaming.timeoutSeconds();
        if (seconds != null && seconds > 0) {
            return Duration.ofSeconds(Math.min(seconds, WatchSchedule.MAX.toSeconds()));
        }
        return timing.get().watches().draw(random);
    }
}
