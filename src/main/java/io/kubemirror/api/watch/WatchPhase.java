package io.kubemirror.api.watch;

import io.kubemirror.api.encode.ListPage;
import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.watch.WatchSession.EndReason;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;

import java.util.Iterator;

/** The phase of a watch. It begins in one of the phases that the methods return. */
sealed interface WatchPhase {

    /**
     * Begins with the current state, which later changes follow (list-watch.md#wa-3 to #wa-5).
     *
     * @param position the state and the cursor after it
     * @param endBookmark whether a bookmark marks the end of the state (list-watch.md#wa-14 to
     *     #wa-16)
     */
    static Initial initial(Mirror.Position position, Selection selection, boolean endBookmark) {
        ListPage page = ListPage.whole(position.snapshot(), selection, "");
        return new Initial(page.objects().iterator(), position.cursor(), endBookmark);
    }

    /** Begins with the changes after a cursor (list-watch.md#wa-6 to #wa-11). */
    static Following after(Cursor cursor) {
        return new Following(cursor, cursor.revision(), true);
    }

    /** Begins with an error, after which the watch ends (list-watch.md#wa-9, #wa-13, #wa-22). */
    static Failing failed(Status status) {
        return new Failing(status, EndReason.EXPIRED);
    }

    /**
     * Returns the phase that follows when the watch is to end. The end is clean, unless another
     * mirror has taken the place of the watched one: its objects differ at the same revisions, so
     * the client must list again (list-watch.md#re-13).
     */
    default WatchPhase stopped(Mirror mirror) {
        return switch (this) {
            case Finished finished -> finished;
            case Failing failing when mirror.isReplaced() -> failing;
            case Initial _, Following _, Sending _, CaughtUp _, Failing _ ->
                    mirror.isReplaced()
                            ? failed(
                                    StatusErrors.expiredWatch(mirror.revision(), mirror.revision()))
                            : new Finished(EndReason.CLOSED);
        };
    }

    /**
     * Sending the initial events.
     *
     * @param objects the objects that are still to be sent
     * @param cursor the position after them
     * @param endBookmark whether a bookmark follows them
     */
    record Initial(Iterator<KubeObject> objects, Cursor cursor, boolean endBookmark)
            implements WatchPhase {}

    /**
     * Waiting for changes.
     *
     * @param cursor everything up to it has been sent
     * @param floor no bookmark is due before the watch passes this revision (list-watch.md#bm-7)
     * @param replaying whether nothing has been read yet; the first changes then happened before
     *     the watch began
     */
    record Following(Cursor cursor, Revision floor, boolean replaying) implements WatchPhase {

        /** Returns the phase at a later cursor, up to which nothing is to be sent. */
        Following at(Cursor later) {
            return new Following(later, floor, replaying);
        }
    }

    /**
     * Sending changes.
     *
     * @param changes the changes that are still to be sent
     * @param from everything up to this cursor has been sent
     * @param then the phase that follows
     */
    record Sending(Iterator<LoggedChange> changes, Cursor from, Following then)
            implements WatchPhase {}

    /**
     * All available changes have been sent.
     *
     * @param then the phase that follows once there are more changes
     */
    record CaughtUp(Following then) implements WatchPhase {}

    /**
     * Sending an error.
     *
     * @param status the error
     * @param end the reason of the end
     */
    record Failing(Status status, EndReason end) implements WatchPhase {}

    /** The watch has ended. */
    record Finished(EndReason reason) implements WatchPhase {}
}
