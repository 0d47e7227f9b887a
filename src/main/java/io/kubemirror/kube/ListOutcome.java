package io.kubemirror.kube;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/** What came of a list request. */
public sealed interface ListOutcome permits ListOutcome.Page, Failure {

    /**
     * All objects of the page have been handed over.
     *
     * @param revision the revision that the page is true at
     * @param continueToken the token for the next page, or null after the last
     */
    record Page(Revision revision, @Nullable String continueToken) implements ListOutcome {}
}
