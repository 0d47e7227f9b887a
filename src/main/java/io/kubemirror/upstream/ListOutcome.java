package io.kubemirror.upstream;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/** The result of a list request. */
public sealed interface ListOutcome permits ListOutcome.Page, Failure {

    /**
     * All objects of the page have been passed to the consumer.
     *
     * @param revision the revision of the page
     * @param continueToken the token for the next page, or null after the last
     * @param remaining the number of objects after this page, as estimated by the server; null if
     *     it gives no estimate
     */
    record Page(Revision revision, @Nullable String continueToken, @Nullable Long remaining)
            implements ListOutcome {

        /** Creates a page with an unknown number of remaining objects. */
        public Page(Revision revision, @Nullable String continueToken) {
            this(revision, continueToken, null);
        }
    }
}
