package io.kubemirror.api.watch;

import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Status;

/** What a watch begins with (spec 5.1). */
sealed interface WatchStart {

    /**
     * The present state, then what follows it (WA-3 to WA-5).
     *
     * @param position the state and what follows
     * @param endBookmark whether a bookmark says where the state ends (WA-14 to WA-16)
     */
    record Initial(Mirror.Position position, boolean endBookmark) implements WatchStart {}

    /**
     * What came after a revision (WA-6 to WA-11).
     *
     * @param cursor where to read on
     */
    record After(Cursor cursor) implements WatchStart {}

    /**
     * An error, and the end (WA-9, WA-13, WA-22).
     *
     * @param status the error
     */
    record Failed(Status status) implements WatchStart {}
}
