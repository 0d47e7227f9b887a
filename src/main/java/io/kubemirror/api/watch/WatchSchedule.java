package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.encode.CollectionRequest;
import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.ApiTimings;
import io.kubemirror.api.http.ListOptions.StreamingOptions;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.StalenessPolicy;
import io.kubemirror.api.read.StalenessPolicy.MirrorState;
import io.kubemirror.api.watch.Watch.NextStep.Rest;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.State;

import org.jspecify.annotations.Nullable;

/**
 * The timed actions of a watch: bookmarks, keep-alive comments, notices of staleness, the end of
 * the wait for a larger batch, and the end.
 *
 * <p>Used by one thread at a time, within a run of the watch's task. All times are nanoseconds
 * since the watch began, except for those of {@link Rest} and {@link #heldUntil()}.
 */
public final class WatchSchedule {

    /** The maximum duration of a watch. A longer one could overflow the nanosecond arithmetic. */
    public static final Duration MAX = Duration.ofDays(365);

    /** A time after the end of every watch. */
    private static final long NEVER = Long.MAX_VALUE;

    private final ApiTimings timing;
    private final LongSupplier nanos;
    private final long interval;
    private final BatchProperties limits;

    /** On the given clock. */
    private final long begin;

    private final long end;
    private final @Nullable StateNotices states;

    private long nextBookmark;

    /** When a comment is due, {@link #NEVER} for none. */
    private long nextKeepAlive;

    /** What is sent before anything else, null once it is. */
    private @Nullable FrameBatch greeting;

    /** The end of the wait for more changes, {@link #NEVER} if no change waits. */
    private long heldUntil = NEVER;

    /**
     * Creates a schedule that begins now.
     *
     * @param nanos a monotonic clock in nanoseconds
     * @param bookmarks the interval of bookmarks, zero for none
     * @param keepAlive whether keep-alive comments are sent
     * @param length the duration of the watch
     * @param limits of what is written at once
     * @param states the notices of the mirror's state, null if the client does not want them
     */
    WatchSchedule(
            ApiTimings timing,
            LongSupplier nanos,
            Duration bookmarks,
            boolean keepAlive,
            Duration length,
            BatchProperties limits,
            @Nullable StateNotices states) {
        this.timing = timing;
        this.nanos = nanos;
        this.interval = bookmarks.toNanos();
        this.limits = limits;
        this.begin = nanos.getAsLong();
        this.end = length.toNanos();
        this.states = states;
        this.nextBookmark = firstBookmark();
        this.nextKeepAlive = keepAlive ? timing.keepAlive().toNanos() : NEVER;
    }

    private long firstBookmark() {
        return hasBookmarks() ? bookmarkAfter(now()) : NEVER;
    }

    /**
     * Returns the wait until the next timed action, null if the client does not know the state of
     * the mirror.
     */
    @Nullable Rest rest() {
        Duration untilState = states == null ? null : states.untilDue();
        if (untilState != null && untilState.isZero()) {
            return null;
        }
        long state = untilState == null ? NEVER : now() + untilState.toNanos();
        return new Rest(
                begin + Math.min(Math.min(end, state), Math.min(nextBookmark, nextKeepAlive)));
    }

    /** Lets the client be sent a batch before anything else. */
    WatchSchedule greet(FrameBatch first) {
        greeting = first;
        return this;
    }

    /** Returns what is sent before anything else, once. */
    @Nullable FrameBatch takeGreeting() {
        FrameBatch first = greeting;
        if (first != null) {
            greeting = null;
        }
        return first;
    }

    /** Returns the limits of what is written at once. */
    BatchProperties limits() {
        return limits;
    }

    /** Whether the client is sent the state of the mirror. */
    boolean hasStates() {
        return states != null;
    }

    /** Returns the state of the mirror if it is due, which the client then knows. */
    Optional<MirrorState> takeState() {
        return states == null ? Optional.empty() : states.take();
    }

    /** Whether changes wait for more of them. */
    boolean isDelayed() {
        return limits.maxDelay().isPositive();
    }

    /**
     * Whether the changes that have arrived wait. The first of them starts the wait, which does not
     * last beyond the watch.
     *
     * @param arrived whether there are changes
     */
    boolean holds(boolean arrived) {
        if (!arrived) {
            heldUntil = NEVER;
            return false;
        }
        long now = now();
        if (heldUntil == NEVER) {
            heldUntil = Math.min(end, now + limits.maxDelay().toNanos());
        }
        boolean holds = now < heldUntil;
        if (!holds) {
            heldUntil = NEVER;
        }
        return holds;
    }

    /** Returns when the wait for more changes is over, on the given clock. */
    long heldUntil() {
        return begin + heldUntil;
    }

    /** Whether the client gets bookmarks. */
    boolean hasBookmarks() {
        return interval > 0;
    }

    /** Whether a bookmark is due. If so, the next one is scheduled (list-watch.md#bm-4). */
    boolean takeBookmark() {
        long now = now();
        if (now < nextBookmark) {
            return false;
        }
        nextBookmark = bookmarkAfter(now);
        return true;
    }

    /**
     * Whether a keep-alive comment is due (list-watch.md#se-8). If so, the next one is scheduled.
     */
    boolean takeKeepAlive() {
        boolean due = now() >= nextKeepAlive;
        if (due) {
            sent();
        }
        return due;
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
        long regular = now + interval;
        long last = end - timing.lastBookmark().toNanos();
        return last > now ? Math.min(last, regular) : regular;
    }

    /**
     * Decides when the client of a watch is sent the state of its mirror. A client that has been
     * sent nothing assumes that the mirror is synced, and a slow one is sent only the newest state
     * (list-watch.md#fr-6).
     *
     * <p>Used by one thread at a time, within a run of the watch's task.
     */
    static final class StateNotices {

        private final Mirror mirror;
        private final StalenessPolicy staleness;
        private State known = State.SYNCED;

        StateNotices(Mirror mirror, StalenessPolicy staleness) {
            this.mirror = mirror;
            this.staleness = staleness;
        }

        /** Returns the state if it is due, which the client then knows. */
        Optional<MirrorState> take() {
            MirrorState now = staleness.state(mirror);
            boolean due = now.state() != known;
            known = now.state();
            return due ? Optional.of(now) : Optional.empty();
        }

        /**
         * Returns the time until the state is due without a report of the mirror: zero if it is not
         * the one that the client knows, null for never.
         */
        @Nullable Duration untilDue() {
            MirrorState now = staleness.state(mirror);
            return now.state() == known ? now.untilStale() : Duration.ZERO;
        }
    }

    /** Decides when watches do what without a signal. Thread-safe. */
    public static final class WatchScheduler {

        private final ApiTimings timing;
        private final BatchProperties batch;
        private final StalenessPolicy staleness;
        private final LongSupplier nanos;
        private final InstantSource clock;
        private final RandomGenerator random;

        /**
         * Creates a scheduler.
         *
         * @param timing the intervals and durations
         * @param batch the limits of batches
         * @param nanos a monotonic clock in nanoseconds
         * @param clock provides the start times of watches
         * @param random draws random durations; used by many threads
         */
        public WatchScheduler(
                ApiTimings timing,
                BatchProperties batch,
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

        /** Returns the schedule of a watch that begins now. */
        WatchSchedule schedule(CollectionRequest wanted, FrameEncoder frames) {
            StreamingOptions streaming = wanted.options().streaming();
            boolean serverSent = frames.watchFraming() == WatchFraming.SERVER_SENT_EVENTS;
            WatchSchedule schedule =
                    new WatchSchedule(
                            timing,
                            nanos,
                            bookmarks(streaming),
                            serverSent,
                            length(streaming),
                            batch,
                            states(wanted));
            // The reconnection delay (list-watch.md#se-8).
            return serverSent
                    ? schedule.greet(
                            FrameBatch.sign(FrameEncoder.retry(random.nextInt(1_000, 3_001))))
                    : schedule;
        }

        private @Nullable StateNotices states(CollectionRequest wanted) {
            return wanted.options().streaming().states()
                    ? new StateNotices(wanted.mirror(), staleness)
                    : null;
        }

        /** Returns the interval of bookmarks, zero for none (list-watch.md#bm-1, #bm-4). */
        private Duration bookmarks(StreamingOptions streaming) {
            if (!streaming.bookmarks()) {
                return Duration.ZERO;
            }
            Long wanted = streaming.bookmarkSeconds();
            return wanted == null
                    ? timing.bookmarks()
                    : Duration.ofSeconds(Math.min(wanted, WatchSchedule.MAX.toSeconds()));
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
            return timing.watches().draw(random);
        }
    }
}
