package io.kubemirror.feature.forward;

import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/** An answered write of one object that a mirror may not show yet. Immutable. */
sealed interface AnsweredWrite {

    /** What a state tells about a write. */
    enum Evidence {
        /** It shows the write, and so do all later states. */
        SHOWN,
        /** It is as it is after the write, but a later one may not be. */
        EQUAL,
        /** It is from before the write. */
        BEFORE
    }

    /**
     * The object exists at a revision.
     *
     * @param uid its UID, empty if it is unknown
     * @param selected whether the mirror may select it
     * @param confirmed whether the API server has been asked for it after the write
     */
    record Changed(Revision at, String uid, boolean selected, boolean confirmed)
            implements AnsweredWrite {

        /** An update that a union hides for a moment is shown by the object, not by the state. */
        private Evidence in(@Nullable KubeObject object, Revision state) {
            boolean older =
                    object != null && object.uid().equals(uid) && object.revision().isBefore(at);
            if (!older && !state.isBefore(at)) {
                return Evidence.SHOWN;
            }
            return object == null && !selected ? Evidence.EQUAL : Evidence.BEFORE;
        }
    }

    /**
     * An object is deleted at an unknown revision.
     *
     * @param uid its UID, which no other object has
     * @param number the number of the write among all
     * @param seen whether the mirror has shown the object. A state without it is then later
     * @param before a revision after the deletion; null if none is known
     */
    record Deleted(String uid, long number, boolean seen, @Nullable Revision before)
            implements AnsweredWrite {

        private Evidence in(@Nullable KubeObject object, Revision state) {
            if (object != null && object.uid().equals(uid)) {
                return Evidence.BEFORE;
            }
            if (seen || (before != null && !state.isBefore(before))) {
                return Evidence.SHOWN;
            }
            // Another object of the name may be an earlier or a later one.
            return object == null ? Evidence.EQUAL : Evidence.BEFORE;
        }
    }

    /**
     * The mirror does not select an object of this name at a revision.
     *
     * @param at a revision of the API server after the write
     */
    record Missing(Revision at) implements AnsweredWrite {

        private Evidence in(@Nullable KubeObject object, Revision state) {
            if (!state.isBefore(at)) {
                return Evidence.SHOWN;
            }
            return object == null ? Evidence.EQUAL : Evidence.BEFORE;
        }
    }

    /**
     * Anything may have happened to the object. The API server knows.
     *
     * @param number the number of the write among all
     */
    record Unclear(long number) implements AnsweredWrite {}

    /** Returns what a state of the mirror tells about the write. */
    default Evidence in(Snapshot state, ObjectKey key) {
        KubeObject object = state.get(key).orElse(null);
        return switch (this) {
            case Changed changed -> changed.in(object, state.revision());
            case Deleted deleted -> deleted.in(object, state.revision());
            case Missing missing -> missing.in(object, state.revision());
            case Unclear _ -> Evidence.BEFORE;
        };
    }

    /** Returns whether the API server knows more about the write. */
    default boolean isOpen() {
        return switch (this) {
            case Changed changed -> !changed.confirmed;
            case Deleted _, Unclear _ -> true;
            case Missing _ -> false;
        };
    }

    /** Returns this write, with the knowledge that the mirror shows an object. */
    default AnsweredWrite seen(@Nullable KubeObject shown) {
        return this instanceof Deleted(var uid, var number, _, var before)
                        && shown != null
                        && shown.uid().equals(uid)
                ? new Deleted(uid, number, true, before)
                : this;
    }

    /**
     * Returns what this write and another one of the same name tell together. They may have been
     * done in another order than they were answered.
     *
     * @param number the number of the other write
     * @param began the number of writes that had been answered when the other one began
     */
    default AnsweredWrite and(AnsweredWrite other, long number, long began) {
        AnsweredWrite unclear = new Unclear(number);
        return switch (this) {
            case Changed mine ->
                    switch (other) {
                        case Changed theirs -> theirs.at.isBefore(mine.at) ? mine : theirs;
                        case Deleted gone -> mine.uid.equals(gone.uid) ? gone : unclear;
                        case Missing _, Unclear _ -> unclear;
                    };
            case Deleted mine ->
                    switch (other) {
                        case Changed theirs when theirs.uid.equals(mine.uid) -> mine;
                        case Changed theirs -> mine.number <= began ? theirs : unclear;
                        case Deleted gone -> gone.uid.equals(mine.uid) ? mine : unclear;
                        case Missing _, Unclear _ -> unclear;
                    };
            case Missing mine ->
                    other instanceof Changed theirs && theirs.at.isAfter(mine.at)
                            ? theirs
                            : unclear;
            case Unclear _ -> unclear;
        };
    }
}
