package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.http.StatusErrors;
import io.kubemirror.api.watch.WatchConnection.EndReason;
import io.kubemirror.mirror.Cursor;
import io.kubemirror.mirror.LoggedChange;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The phase of a watch. */
public sealed interface WatchPhase {

    /** Begins with the changes after a cursor (list-watch.md#wa-6 to #wa-8). */
    static Following after(Cursor cursor) {
        return new Following(cursor, cursor.revision(), true);
    }

    /** Begins with an error, after which the watch ends (list-watch.md#wa-9, #wa-13, #wa-22). */
    static Failing failed(Status status) {
        return new Failing(status, EndReason.EXPIRED);
    }

    /**
     * Begins or ends with 410 (list-watch.md#wa-9).
     *
     * @param asked the revision after which the client would continue
     * @param floor the smallest revision that it can start from
     */
    static Failing expired(Revision asked, Revision floor) {
        return failed(StatusErrors.expiredWatch(asked, floor));
    }

    /**
     * Ends because the mirror started a new history. The end is clean (list-watch.md#re-1), unless
     * clients would treat it as a server failure because the watch is too short
     * (list-watch.md#wa-29). Those clients get the error that their next request would get, because
     * their revision belongs to the old history (list-watch.md#wa-9, #re-12).
     */
    static WatchPhase reset(Mirror mirror, Cursor cursor, boolean tooShort) {
        return tooShort
                ? expired(cursor.revision(), mirror.floor())
                : new Finished(EndReason.RESET);
    }

    /**
     * Ends with 410, because a client that lists again is better than one that silently missed
     * changes.
     */
    static WatchPhase gap(Mirror mirror, Reading.Gap gap, Cursor sent) {
        LoggerFactory.getLogger(WatchPhase.class)
                .error(
                        "Ended a watch of {} with 410, because it would have skipped changes: it is"
                                + " at position {}, revision {}, and would continue at position {}."
                                + " This is a bug in kubemirror.",
                        mirror.scope(),
                        gap.expected(),
                        sent.revision(),
                        gap.found());
        return new Failing(
                StatusErrors.expiredWatch(sent.revision(), mirror.revision()), EndReason.GAP);
    }

    /** Returns the phase that follows when the watch is to end, which is clean. */
    default WatchPhase stopped() {
        return this instanceof Finished finished ? finished : new Finished(EndReason.CLOSED);
    }

    /** Returns the position of the client, null after the end. */
    default @Nullable Cursor position() {
        return switch (this) {
            case Initial initial -> initial.state().cursor();
            case Following following -> following.cursor();
            case Sending changes -> changes.from();
            case CaughtUp(Following then) -> then.cursor();
            case Failing _, Finished _ -> null;
        };
    }

    /** Returns the revision of the initial events, empty if there are none to be sent. */
    default Optional<Revision> initialRevision() {
        return this instanceof Initial initial
                ? Optional.of(initial.state().snapshot().revision())
                : Optional.empty();
    }

    /**
     * Sending the initial events: the current state, which later changes follow (list-watch.md#wa-3
     * to #wa-5).
     *
     * @param state the state, and the cursor after it
     * @param endBookmark whether a bookmark marks the end of the state (list-watch.md#wa-14 to
     *     #wa-15)
     */
    record Initial(Mirror.Position state, boolean endBookmark) implements WatchPhase {}

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
