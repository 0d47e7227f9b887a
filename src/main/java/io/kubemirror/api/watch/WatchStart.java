package io.kubemirror.api.watch;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Status;

/** The start of a watch (list-watch.md#watch-start). */
sealed interface WatchStart {

    /**
     * The current state, followed by later changes (list-watch.md#wa-3 to #wa-5).
     *
     * @param position the state and the cursor after it
     * @param endBookmark whether a bookmark marks the end of the state (list-watch.md#wa-14 to
     *     #wa-16)
     */
    record Initial(Mirror.Position position, boolean endBookmark) implements WatchStart {}

    /**
     * The changes after a revision (list-watch.md#wa-6 to #wa-11).
     *
     * @param cursor the position to read from
     */
    record After(Cursor cursor) implements WatchStart {}

    /**
     * An error, after which the watch ends (list-watch.md#wa-9, #wa-13, #wa-22).
     *
     * @param status the error
     */
    record Failed(Status status) implements WatchStart {}
}
