package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.reflector.ReflectorSettings.Strategy;

/**
 * What a reflector knows about the capabilities of its server, from which its {@link Strategy}
 * decides how it fetches the present state.
 *
 * <p>A missing capability is remembered for an hour at most (list-watch.md#up-25), for each
 * collection separately, because groups may have servers of their own. Used by one thread; any
 * thread may read the description.
 */
final class ServerCapabilities {

    /** The number of consecutive refusals after which no watch-list is requested. */
    private static final int REFUSALS = 2;

    private static final Duration MEMORY = Duration.ofHours(1);

    private final boolean bookmarks;
    private final InstantSource clock;
    private int refusals;
    private volatile Instant unstreamableUntil = Instant.MIN;
    private volatile Instant unwatchableUntil = Instant.MIN;
    private volatile boolean listsExpire;
    private boolean unwatched;

    ServerCapabilities(ReflectorSettings settings, InstantSource clock) {
        this.bookmarks = settings.watches().bookmarks();
        this.clock = clock;
    }

    /** Returns the known limitations that still apply, in sentences. */
    List<String> describe() {
        Instant now = clock.instant();
        List<String> limitations = new ArrayList<>();
        if (now.isBefore(unwatchableUntil)) {
            limitations.add(
                    "the server does not allow watches of this resource; next attempt after "
                            + unwatchableUntil);
        }
        if (now.isBefore(unstreamableUntil)) {
            limitations.add(
                    "the server does not serve watch-lists; next attempt after "
                            + unstreamableUntil);
        }
        if (listsExpire) {
            limitations.add(
                    "a list took longer than the server keeps its revision; a watch runs in"
                            + " parallel");
        }
        return limitations;
    }

    /** Returns whether the server ends the initial events of a watch, as far as is known. */
    boolean mayStream() {
        return bookmarks && mayWatch() && !clock.instant().isBefore(unstreamableUntil);
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

    /** Returns whether a list took longer than the server keeps its revision. */
    boolean doListsExpire() {
        return listsExpire;
    }

    /** Records that the revision of a list expired before the list was complete. */
    void listExpired() {
        listsExpire = true;
    }

    /** Records that a list without a watch beside it is complete; its watch is next. */
    void listed() {
        unwatched = true;
    }

    /** Records that a watch sent something. */
    void followed() {
        unwatched = false;
    }

    /**
     * Records that the revision of a watch was expired, perhaps because the list before it took too
     * long.
     */
    void watchExpired() {
        listsExpire = listsExpire || unwatched;
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
