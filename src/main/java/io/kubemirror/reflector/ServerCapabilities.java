package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.reflector.ReflectorSettings.Strategy;

/**
 * What a reflector knows about the capabilities of its server, and how it therefore fetches the
 * present state by its strategy.
 *
 * <p>A missing capability is remembered for an hour at most (list-watch.md#up-25), for each
 * collection separately, because groups may have servers of their own. Used by one thread.
 */
final class ServerCapabilities {

    /** The number of consecutive refusals after which no watch-list is requested. */
    private static final int REFUSALS = 2;

    private static final Duration MEMORY = Duration.ofHours(1);

    private final Strategy strategy;
    private final boolean bookmarks;
    private final InstantSource clock;
    private int refusals;
    private Instant unstreamableUntil = Instant.MIN;
    private Instant unwatchableUntil = Instant.MIN;
    private boolean expires;

    ServerCapabilities(ReflectorSettings settings, InstantSource clock) {
        this.strategy = settings.strategy();
        this.bookmarks = settings.watches().bookmarks();
        this.clock = clock;
    }

    /**
     * Returns whether to request the present state as the initial events of a watch, whose end is a
     * bookmark.
     */
    boolean streams() {
        return switch (strategy) {
            case AUTO -> bookmarks && mayWatch() && !clock.instant().isBefore(unstreamableUntil);
            case WATCH_LIST -> true;
            case LIST_WATCH, LIST_WATCH_PARALLEL -> false;
        };
    }

    /** Returns whether a list may replace a watch-list. */
    boolean lists() {
        return strategy != Strategy.WATCH_LIST;
    }

    /** Returns whether the watch must run while the pages of a list are fetched. */
    boolean overlaps() {
        return strategy == Strategy.LIST_WATCH_PARALLEL || (strategy == Strategy.AUTO && expires);
    }

    /**
     * Records that the server does not support watch-lists: it answered 422 or did not end one
     * (list-watch.md#up-28).
     */
    void streamRefused() {
        refusals++;
        if (refusals >= REFUSALS) {
            unstreamableUntil = clock.instant().plus(MEMORY);
        }
    }

    /** Records that a watch-list was complete. */
    void streamed() {
        refusals = 0;
        unstreamableUntil = Instant.MIN;
    }

    /** Records that a revision expired before a list was complete, or before a watch. */
    void expired() {
        expires = true;
    }

    /** Returns whether watches are allowed (list-watch.md#up-35). */
    boolean mayWatch() {
        return !clock.instant().isBefore(unwatchableUntil);
    }

    /** Records that watches are not allowed: 405, or discovery does not list the verb. */
    void watchRefused() {
        unwatchableUntil = clock.instant().plus(MEMORY);
    }
}
