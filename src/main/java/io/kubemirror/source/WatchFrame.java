package io.kubemirror.source;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

/** A frame of a watch stream, or the end of the stream. */
public sealed interface WatchFrame {

    /** A frame about one object. */
    sealed interface ObjectEvent extends WatchFrame {

        /** Returns the state of the object. */
        KubeObject object();
    }

    /** The last frame of a stream. */
    sealed interface End extends WatchFrame {}

    /**
     * The server reports an added object. The mirror decides whether the object is new to it
     * (list-watch.md#ev-7).
     *
     * @param object the object
     * @param created the creation time by the clock of the server, in whole seconds; null if
     *     unknown
     * @param changed the latest time in its {@code managedFields}, likewise
     */
    record Added(KubeObject object, @Nullable Instant created, @Nullable Instant changed)
            implements ObjectEvent {}

    /**
     * The server reports a modified object.
     *
     * @param object the current state of the object
     * @param changed the latest time in its {@code managedFields}, by the clock of the server, in
     *     whole seconds; null if there is none. It is the time of this change only if the change is
     *     one that the server dates
     */
    record Modified(KubeObject object, @Nullable Instant changed) implements ObjectEvent {}

    /**
     * The server reports a deleted object.
     *
     * @param object the last state of the object, with the revision of the deletion
     */
    record Deleted(KubeObject object) implements ObjectEvent {}

    /**
     * A bookmark: the server has sent all changes up to a revision.
     *
     * @param revision the revision
     * @param initialEventsEnd whether this bookmark ends the initial events of a watch-list
     *     (list-watch.md#bm-10)
     */
    record Bookmark(Revision revision, boolean initialEventsEnd) implements WatchFrame {}

    /**
     * The server ends the stream with an error.
     *
     * @param status the error
     */
    record Failed(Status status) implements End {}

    /**
     * A complete frame that does not belong to this collection, such as a different kind, a Table,
     * or an object without a name (list-watch.md#up-42).
     *
     * @param reason the cause, without any content
     */
    record Foreign(String reason) implements WatchFrame {}

    /**
     * Something that cannot be interpreted, such as an object without a revision, an unknown event
     * type, or bytes that are not JSON (list-watch.md#up-39). Nothing after it is read.
     *
     * @param reason the cause, without any content
     */
    record Untrackable(String reason) implements End {}

    /** The stream ended between two frames (list-watch.md#up-40). */
    record Ended() implements End {}

    /**
     * The stream broke or became silent.
     *
     * @param reason the cause, without any content
     * @param kind the kind of the failure
     */
    record Broken(String reason, BrokenKind kind) implements End {

        /** The ways in which a stream can break. */
        public enum BrokenKind {
            /** The connection broke, or this side closed it. */
            CUT,
            /** No byte arrived for longer than allowed (list-watch.md#up-11, #up-28). */
            SILENT
        }
    }
}
