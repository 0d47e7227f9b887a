package io.kubemirror.upstream;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Status;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/** One frame of a watch stream, or how the stream ended. */
public sealed interface WatchFrame {

    /**
     * An object came, by the server's account; whether it is new here the mirror decides
     * (list-watch.md#ev-7).
     *
     * @param object the object
     * @param created when it was created, by the server's clock and in whole seconds; null if it
     *     does not say
     */
    record Added(KubeObject object, @Nullable Instant created) implements WatchFrame {

        /** An object that does not say when it was created. */
        public Added(KubeObject object) {
            this(object, null);
        }
    }

    /**
     * An object changed, by the server's account.
     *
     * @param object the object as it is now
     */
    record Modified(KubeObject object) implements WatchFrame {}

    /**
     * An object went.
     *
     * @param object its last state, with the revision of the deletion
     */
    record Deleted(KubeObject object) implements WatchFrame {}

    /**
     * Everything up to a revision has been sent.
     *
     * @param revision the revision
     * @param initialEventsEnd whether this closes the initial events of a watch-list
     *     (list-watch.md#bm-10)
     */
    record Bookmark(Revision revision, boolean initialEventsEnd) implements WatchFrame {}

    /**
     * The server ends the stream with a failure.
     *
     * @param status the failure
     */
    record Failed(Status status) implements WatchFrame {}

    /**
     * A frame that is complete but not of this collection: another kind, a Table, an object without
     * a name (list-watch.md#up-42).
     *
     * @param reason what is wrong with it, without any content
     */
    record Foreign(String reason) implements WatchFrame {}

    /**
     * A frame that cannot be understood: an object without a revision, an unknown event type
     * (list-watch.md#up-39, #up-43).
     *
     * @param reason what is wrong with it, without any content
     */
    record Untrackable(String reason) implements WatchFrame {}

    /** The stream ended between two frames (list-watch.md#up-40). */
    record Ended() implements WatchFrame {}

    /**
     * The stream was cut, fell silent or is no JSON.
     *
     * @param reason what happened, without any content
     * @param kind which of these
     */
    record Broken(String reason, BrokenKind kind) implements WatchFrame {

        /** How a stream can break. */
        public enum BrokenKind {
            /** The connection broke, or this side closed it. */
            CUT,
            /** It brought no byte for longer than it may (list-watch.md#up-11, #up-28). */
            SILENT,
            /** The bytes make no sense. */
            MALFORMED
        }
    }
}
