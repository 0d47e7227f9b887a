package io.kubemirror.reflector;

import module java.base;

/**
 * Limits the rate of requests of a reflector, whatever the server does. It applies in addition to
 * backoff, which successes reset.
 *
 * <p>Lists start at least the configured interval apart, and at least a second after one that
 * failed (list-watch.md#bo-4); there are fewer than sixty in any minute. Watches that the server
 * ends repeatedly, each after an event, are reopened at once ten times, then once a second. Used by
 * one thread.
 */
final class RequestPacer {

    /** The shortest time between a list that failed and the next. */
    private static final Duration MIN_AFTER_FAILURE = Duration.ofSeconds(1);

    /**
     * One synchronization may need three requests: a refused stream, an expired list, and a full
     * list.
     */
    private static final int LISTS_AT_ONCE = 3;

    private static final Duration A_LIST = Duration.ofMillis(1200);
    private static final int WATCHES_AT_ONCE = 10;
    private static final Duration A_WATCH = Duration.ofSeconds(1);

    private final InstantSource clock;
    private final Duration betweenLists;
    private final Duration afterFailure;
    private final TokenBucket lists;
    private final TokenBucket watches;
    private Instant nextList = Instant.MIN;

    /**
     * Creates a pacer that allows a request at once.
     *
     * @param betweenLists the minimum time between the starts of two lists
     */
    RequestPacer(InstantSource clock, Duration betweenLists) {
        this.clock = clock;
        this.betweenLists = betweenLists;
        this.afterFailure = Collections.max(List.of(betweenLists, MIN_AFTER_FAILURE));
        this.lists = new TokenBucket(LISTS_AT_ONCE, A_LIST);
        this.watches = new TokenBucket(WATCHES_AT_ONCE, A_WATCH);
    }

    /** Returns the wait before a list or a watch-list. */
    Duration untilList() {
        return Collections.max(
                List.of(Duration.between(clock.instant(), nextList), lists.untilNext()));
    }

    /** Records the start of a list or a watch-list. */
    void list() {
        lists.acquire();
        nextList = clock.instant().plus(betweenLists);
    }

    /** Records that a list or a watch-list failed. */
    void listFailed() {
        nextList = clock.instant().plus(afterFailure);
    }

    /** Returns the wait before a watch. */
    Duration untilWatch() {
        return watches.untilNext();
    }

    /** Records that a watch is opened. */
    void watch() {
        watches.acquire();
    }

    /**
     * A token bucket. Limits the burst and the long-term rate of an operation. Used by one thread.
     */
    private final class TokenBucket {

        private final Duration interval;
        private final Duration reserve;

        /** The time when all tokens taken so far will have been refilled. */
        private Instant earned = Instant.MIN;

        /**
         * Creates a full bucket.
         *
         * @param atOnce the number of tokens in the full bucket
         * @param interval the time to refill one token
         */
        TokenBucket(int atOnce, Duration interval) {
            this.interval = interval;
            this.reserve = interval.multipliedBy(atOnce - 1L);
        }

        /** Returns the wait until a token is available, zero for none. */
        Duration untilNext() {
            return Collections.max(
                    List.of(
                            Duration.between(clock.instant().plus(reserve), earned),
                            Duration.ZERO));
        }

        /** Takes a token, even if none is available: the next wait is longer then. */
        void acquire() {
            Instant now = clock.instant();
            earned = (earned.isAfter(now) ? earned : now).plus(interval);
        }
    }
}
