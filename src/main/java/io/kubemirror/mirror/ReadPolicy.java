package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.SelectableFields.SelectableField;

import org.jspecify.annotations.Nullable;

/**
 * How a mirror is read: who may answer, how fresh answers are, and what they have
 * (list-watch.md#freshness).
 *
 * @param mode specifies which server answers reads of the most recent state
 * @param whole whether all of each object is mirrored, so that the API server may answer in the
 *     place of the mirror: it answers with all of it
 * @param stalenessBound how long the API server may be unreachable before the mirror rejects reads
 *     of the most recent state; null to serve them regardless of staleness
 * @param fields which members of objects are kept and dropped, as in the header {@code
 *     Kubemirror-Fields}; empty for whole objects (list-watch.md#ca-4a)
 * @param indexed the fields that field selectors may use besides those of the type
 */
public record ReadPolicy(
        ReadMode mode,
        boolean whole,
        @Nullable Duration stalenessBound,
        String fields,
        List<SelectableField> indexed) {

    /** Refuses to ask the API server in the place of a mirror that has a part of each object. */
    public ReadPolicy {
        if (mode != ReadMode.CACHE && !whole) {
            throw new IllegalArgumentException("only whole objects can be verified");
        }
        indexed = List.copyOf(indexed);
    }

    /**
     * Specifies which server answers gets and lists that require the most recent state, which only
     * the API server knows (list-watch.md#freshness).
     */
    public enum ReadMode {
        /** The mirror answers with its current state (list-watch.md#fr-1). */
        CACHE,
        /**
         * The mirror answers after it has reached the current revision of the API server. If it
         * does not reach it in time, the API server answers (list-watch.md#fr-3).
         */
        VERIFY
    }
}
