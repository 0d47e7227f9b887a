package io.kubemirror.kube;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * A request for one page of a list.
 *
 * @param collection what to list
 * @param revision the revision that the list must not be older than, or null for the most recent
 *     (UP-3, UP-4)
 * @param limit the number of objects in a page, 0 for all
 * @param continueToken the token of the previous page, or null
 */
public record ListRequest(
        ResourceCollection collection,
        @Nullable Revision revision,
        int limit,
        @Nullable String continueToken) {

    /** The page that follows this one; the revision is left out then (UP-6). */
    public ListRequest next(String continueToken) {
        return new ListRequest(collection, null, limit, continueToken);
    }
}
