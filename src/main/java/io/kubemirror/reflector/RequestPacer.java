package io.kubemirror.reflector;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The fastest that a reflector may ask, whatever the server does: the last resort behind all
 * backoff, which success resets.
 *
 * <p>Lists begin half a second apart at least, and a second after one that failed
 * (list-watch.md#bo-4); in any minute there are fewer than sixty. Watches that the server ends over
 * and over, each after an event, are opened again at once ten times, then once a second. Used by
 * one thread.
 */
final class RequestPacer {

    private static final Duration BETWEEN_LISTS = Duration.ofMillis(500);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    /** A round may need three: refused as a stream, expired, and in full. */
    private static final int LISTS_AT_ONCE = 3;

    private static final Duration A_LIST = Duration.ofMillis(1200);
    private static final int WATCHES_AT_ONCE = 10;
    private static final Duration A_WATCH = Duration.ofSeconds(1);

    private final InstantSource clock;
    private final TokenBucket lists;
    private final TokenBucket watches;
    private Instant nextList = Instant.MIN;

    RequestPacer(InstantSource clock) {
        this.clock = clock;
        this.lists = new TokenBucket(clock, LISTS_AT_ONCE, A_LIST);
        this.watches = new TokenBucket(clock, WATCHES_AT_ONCE, A_WATCH);
    }

    /** How long a list or a watch-list has to wait. */
    Duration untilList() {
        Duration distance = Duration.between(clock.instant(), nextList);
        Duration bounded = distance.compareTo(AFTER_FAILURE) < 0 ? distance : AFTER_FAILURE;
        Duration allowed = lists.untilNext();
        return bounded.compareTo(allowed) > 0 ? bounded : allowed;
    }

    /** A list or a watch-list begins. */
    void list() {
        lists.acquire();
        nextList = clock.instant().plus(BETWEEN_LISTS);
    }

    /** A list or a watch-list failed. */
    void listFailed() {
        nextList = clock.instant().plus(AFTER_FAILURE);
    }

    /** How long a watch has to wait. */
    Duration untilWatch() {
        return watches.untilNext();
    }

    /** A watch is opened. */
    void watch() {
        watches.acquire();
    }
}
