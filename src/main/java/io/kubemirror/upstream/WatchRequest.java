package io.kubemirror.upstream;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * A request for a watch with bookmarks.
 *
 * @param collection what to watch
 * @param revision where to start after, or null for the most recent, which only an initial list
 *     allows
 * @param initialEvents whether the stream begins with the present state: a watch-list
 *     (list-watch.md#up-1)
 * @param timeout how long the server may keep the stream open (list-watch.md#up-9)
 * @param silence how long no byte may arrive before the connection counts as dead
 *     (list-watch.md#up-11)
 * @param initialSilence the same, as long as initial events were asked for and are not complete
 *     (list-watch.md#up-28)
 */
public record WatchRequest(
        ResourceCollection collection,
        @Nullable Revision revision,
        boolean initialEvents,
        Duration timeout,
        Duration silence,
        Duration initialSilence) {

    /** A request that is as patient with initial events as with all others. */
    public WatchRequest(
            ResourceCollection collection,
            @Nullable Revision revision,
            boolean initialEvents,
            Duration timeout,
            Duration silence) {
        this(collection, revision, initialEvents, timeout, silence, silence);
    }
}
