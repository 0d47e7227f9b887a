package io.kubemirror.upstream;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/** What came of a list request. */
public sealed interface ListOutcome permits ListOutcome.Page, Failure {

    /**
     * All objects of the page have been handed over.
     *
     * @param revision the revision that the page is true at
     * @param continueToken the token for the next page, or null after the last
     * @param remaining how many objects there are beyond this page, by the server's estimate; null
     *     if it gives none
     */
    record Page(Revision revision, @Nullable String continueToken, @Nullable Long remaining)
            implements ListOutcome {

        /** A page of which nobody knows how many objects follow. */
        public Page(Revision revision, @Nullable String continueToken) {
            this(revision, continueToken, null);
        }
    }
}
