package io.kubemirror.api.watch;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Status;

/** What a watch begins with (list-watch.md#watch-start). */
sealed interface WatchStart {

    /**
     * The present state, then what follows it (list-watch.md#wa-3 to #wa-5).
     *
     * @param position the state and what follows
     * @param endBookmark whether a bookmark says where the state ends (list-watch.md#wa-14 to
     *     #wa-16)
     */
    record Initial(Mirror.Position position, boolean endBookmark) implements WatchStart {}

    /**
     * What came after a revision (list-watch.md#wa-6 to #wa-11).
     *
     * @param cursor where to read on
     */
    record After(Cursor cursor) implements WatchStart {}

    /**
     * An error, and the end (list-watch.md#wa-9, #wa-13, #wa-22).
     *
     * @param status the error
     */
    record Failed(Status status) implements WatchStart {}
}
