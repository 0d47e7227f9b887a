package io.kubemirror.source;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * A request for a watch.
 *
 * @param collection the collection to watch
 * @param revision the revision after which the watch starts, or null for the most recent, which
 *     requires an initial list
 * @param initialEvents whether the stream begins with the current state: a watch-list
 *     (list-watch.md#up-1)
 * @param bookmarks whether the server sends bookmarks (list-watch.md#bm-1); initial events need
 *     them
 * @param bookmarkInterval the interval of bookmarks to ask for, zero for that of the server; only
 *     another kubemirror heeds it (list-watch.md#bm-11)
 * @param timeout how long the server may keep the stream open (list-watch.md#up-9)
 * @param silence how long no byte may arrive before the connection is considered dead
 *     (list-watch.md#up-11)
 * @param initialSilence the same limit while requested initial events are not complete
 *     (list-watch.md#up-28)
 */
public record WatchRequest(
        ResourceCollection collection,
        @Nullable Revision revision,
        boolean initialEvents,
        boolean bookmarks,
        Duration bookmarkInterval,
        Duration timeout,
        Duration silence,
        Duration initialSilence) {}
