package io.kubemirror.api.read;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.SelectableFields.SelectableField;

import org.jspecify.annotations.Nullable;

/**
 * Who may answer reads of what a mirror covers, and how fresh answers are
 * (list-watch.md#freshness).
 *
 * <p>The API server answers with whole objects. What asks it in the place of a mirror switches over
 * the policies and does so for a {@link Whole} one only, so no answer has more of an object than
 * the mirror shows.
 */
public sealed interface ReadPolicy {

    /**
     * Returns how long the API server may be unreachable before the mirror rejects reads of the
     * most recent state; null to serve them regardless of staleness.
     */
    @Nullable Duration stalenessBound();

    /** Returns which server answers reads of the most recent state. */
    ReadMode mode();

    /**
     * Returns which members of objects are kept and dropped, as in the header {@code
     * Kubemirror-Fields}; empty for whole objects (list-watch.md#ca-4a).
     */
    String fields();

    /**
     * All of each object is mirrored. The API server may answer in the place of the mirror.
     *
     * @param mode specifies which server answers reads of the most recent state
     */
    record Whole(ReadMode mode, @Nullable Duration stalenessBound) implements ReadPolicy {

        @Override
        public String fields() {
            return "";
        }
    }

    /**
     * A part of each object is hidden: some of its members, or all but its metadata. Only the
     * mirror answers.
     */
    record Partial(@Nullable Duration stalenessBound, String fields) implements ReadPolicy {

        @Override
        public ReadMode mode() {
            return ReadMode.CACHE;
        }
    }

    /**
     * Specifies which server answers gets and lists that require the most recent state, which only
     * the API server knows (list-watch.md#freshness).
     */
    enum ReadMode {
        /** The mirror answers with its current state (list-watch.md#fr-1). */
        CACHE,
        /**
         * The mirror answers after it has reached the current revision of the API server. If it
         * does not reach it in time, the API server answers (list-watch.md#fr-3).
         */
        VERIFY
    }

    /**
     * Provides how each mirror is read, also after it has been removed: a request that has found it
     * may still read it.
     */
    @FunctionalInterface
    interface ReadPolicies {

        /** Returns the policy of a mirror. */
        ReadPolicy of(Mirror mirror);

        /** Returns the fields that field selectors may use besides those of the type. */
        default List<SelectableField> indexed(Mirror mirror) {
            return List.of();
        }
    }
}
