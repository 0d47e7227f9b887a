package io.kubemirror.source;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * A request for one page of a list.
 *
 * @param collection the collection to list
 * @param revision the requested revision, or null for the most recent (list-watch.md#up-3, #up-4)
 * @param match how the revision is matched
 * @param limit the number of objects in a page, 0 for all
 * @param continueToken the token of the previous page, or null
 */
public record ListRequest(
        ResourceCollection collection,
        @Nullable Revision revision,
        RevisionMatch match,
        int limit,
        @Nullable String continueToken) {

    /**
     * Checks the revision.
     *
     * @throws IllegalArgumentException if the match is exact and no revision is given
     */
    public ListRequest {
        if (match == RevisionMatch.EXACT && revision == null) {
            throw new IllegalArgumentException("an exact list needs a revision");
        }
    }

    /** Creates a request for a state that is not older than the revision. */
    public ListRequest(
            ResourceCollection collection,
            @Nullable Revision revision,
            int limit,
            @Nullable String continueToken) {
        this(collection, revision, RevisionMatch.NOT_OLDER_THAN, limit, continueToken);
    }

    /**
     * Returns the request for the next page, in which the token replaces the revision
     * (list-watch.md#up-6).
     */
    public ListRequest next(String continueToken) {
        return new ListRequest(collection, null, limit, continueToken);
    }

    /**
     * Specifies how the revision of a list request is matched (list-watch.md#list-combinations).
     */
    public enum RevisionMatch {
        /** Any state that is not older than the revision; the default of the server. */
        NOT_OLDER_THAN,
        /** The state at exactly that revision. */
        EXACT
    }
}
