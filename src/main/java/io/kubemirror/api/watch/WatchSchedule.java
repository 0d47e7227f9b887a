package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.encode.FrameEncoder;
import io.kubemirror.api.http.ListOptions.StreamingOptions;
import io.kubemirror.api.http.WatchFraming;
import io.kubemirror.api.read.Plan.SelectedWatch;
import io.kubemirror.api.read.StalenessPolicy.MirrorState;
import io.kubemirror.api.watch.Watch.NextStep.Rest;
import io.kubemirror.api.watch.WatchProperties.BatchProperties;
import io.kubemirror.mirror.UpstreamStatus.State;

import org.jspecify.annotations.Nullable;

/**
 * The timed actions of a watch: bookmarks, keep-alive comments, notices of staleness, the end of
 * the wait for a larger batch, and the end.
 *
 * <p>Used by one thread at a time, within a run of the watch's task. All times are nanoseconds
 * since the watch began, except for those of {@link Rest}.
 */
public final class WatchSchedule {

    /** The maximum duration of a watch. A longer one could overflow the nanosecond arithmetic. */
    private static final Duration MAX = Duration.ofDays(365);

    /** A watch stays at a replica for at least so many intervals of bookmarks. */
    private static final int STAY = 5;

    /** A time after the end of every watch. */
    private static final long NEVER = Long.MAX_VALUE;

    /** The time between the last bookmark of a watch and its end (list-watch.md#bm-4). */
    private static final long LAST_BOOKMARK = Duration.ofSeconds(2).toNanos();

    /** When a comment of server-sent events follows what was sent (list-watch.md#se-8). */
    private static final long KEEP_ALIVE = Duration.ofSeconds(15).toNanos();

    private final LongSupplier nanos;
    private final long interval;
    private final BatchProperties limits;

    /** On the given clock. */
    private final long begin;

    private final long end;
    private final @Nullable Supplier<MirrorState> states;

    /** The state that the client knows; it takes the mirror for synced (list-watch.md#fr-6). */
    private State known = State.SYNCED;

    private long nextBookmark;

    /** When a comment is due, {@link #NEVER} for none. */
    private long nextKeepAlive;

    /** What is sent before anything else, null once it is. */
    private byte @Nullable [] greeting;

    /** The end of the wait for more changes, {@link #NEVER} if no change waits. */
    private long heldUntil = NEVER;

    /**
     * Creates a schedule that begins now.
     *
     * @param nanos a monotonic clock in nanoseconds
     * @param bookmarks the interval of bookmarks, zero for none
     * @param length the duration of the watch
     * @param limits of what is written at once
     * @param greeting what server-sent events begin with; they get comments, too. Null for others
     * @param states returns the state of the mirror, null if the client does not want to know it
     */
    WatchSchedule(
            LongSupplier nanos,
            Duration bookmarks,
            Duration length,
            BatchProperties limits,
            byte @Nullable [] greeting,
            @Nullable Supplier<MirrorState> states) {
        this.nanos = nanos;
        this.interval = bookmarks.toNanos();
        this.limits = limits;
        this.begin = nanos.getAsLong();
        this.end = length.toNanos();
        this.greeting = greeting;
        this.states = states;
        this.nextBookmark = hasBookmarks() ? bookmarkAfter(0) : NEVER;
        this.nextKeepAlive = greeting == null ? NEVER : KEEP_ALIVE;
    }

    /**
     * Returns the schedule of a watch that begins now.
     *
     * @param watches the configured durations and limits
     * @param states returns the state of the mirror
     * @param nanos a monotonic clock in nanoseconds
     * @param random draws random durations
     */
    static WatchSchedule of(
            SelectedWatch selected,
            WatchProperties watches,
            Supplier<MirrorState> states,
            LongSupplier nanos,
            RandomGenerator random) {
        StreamingOptions wanted = selected.wanted().options().streaming();
        // With the reconnection delay (list-watch.md#se-8).
        byte[] greeting =
                selected.frames().watchFraming() == WatchFraming.SERVER_SENT_EVENTS
                        ? FrameEncoder.retry(random.nextInt(1_000, 3_001))
                        : null;
        return new WatchSchedule(
                nanos,
                wanted.bookmarks()
                        ? seconds(wanted.bookmarkSeconds()).orElse(watches.bookmarkInterval())
                        : Duration.ZERO,
                seconds(wanted.timeoutSeconds()).orElseGet(() -> watches.timeout().draw(random)),
                watches.batch(),
                greeting,
                wanted.states() ? states : null);
    }

    /** Returns the duration that a client has requested, empty if none (list-watch.md#wa-27). */
    private static Optional<Duration> seconds(@Nullable Long requested) {
        return Optional.ofNullable(requested)
                .filter(seconds -> seconds > 0)
                .map(seconds -> Duration.ofSeconds(Math.min(seconds, MAX.toSeconds())));
    }

    /**
     * Returns the wait until the next timed action, null if the client does not know the state of
     * the mirror.
     */
    @Nullable Rest rest() {
        MirrorState state = states == null ? null : states.get();
        if (state != null && state.state() != known) {
            return null;
        }
        Duration untilStale = state == null ? null : state.untilStale();
        long stale = untilStale == null ? NEVER : now() + untilStale.toNanos();
        return new Rest(
                begin + Math.min(Math.min(end, stale), Math.min(nextBookmark, nextKeepAlive)));
    }

    /** Adds what is sent before anything else, once. */
    void greet(FrameBatch batch) {
        if (greeting != null) {
            batch.append(greeting);
            greeting = null;
        }
    }

    /** Returns the limits of what is written at once. */
    BatchProperties limits() {
        return limits;
    }

    /** Whether the client is sent the state of the mirror. */
    boolean hasStates() {
        return states != null;
    }

    /**
     * Returns the state of the mirror if the client does not know it, which it then does. A slow
     * client is sent only the newest one.
     */
    Optional<MirrorState> takeState() {
        MirrorState state = states == null ? null : states.get();
        if (state == null || state.state() == known) {
            return Optional.empty();
        }
        known = state.state();
        return Optional.of(state);
    }

    /**
     * Returns the wait of changes that have arrived for more of them, null if they do not wait. The
     * first of them starts the wait, which does not last beyond the watch.
     *
     * @param arrived whether there are changes
     */
    @Nullable Rest hold(BooleanSupplier arrived) {
        if (!limits.maxDelay().isPositive()) {
            return null;
        }
        if (!arrived.getAsBoolean()) {
            heldUntil = NEVER;
            return null;
        }
        long now = now();
        if (heldUntil == NEVER) {
            heldUntil = Math.min(end, now + limits.maxDelay().toNanos());
        }
        if (now < heldUntil) {
            return new Rest(begin + heldUntil);
        }
        heldUntil = NEVER;
        return null;
    }

    /** Whether the client gets bookmarks. */
    boolean hasBookmarks() {
        return interval > 0;
    }

    /** Whether the client gets bookmarks, and has not come to this replica lately. Thread-safe. */
    boolean isMovable() {
        return hasBookmarks() && now() >= STAY * interval;
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
            nextKeepAlive = now() + KEEP_ALIVE;
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
        long last = end - LAST_BOOKMARK;
        return last > now ? Math.min(last, regular) : regular;
    }
}
