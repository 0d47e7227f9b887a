package io.kubemirror.upstream;

import io.kubemirror.model.Identity;

/** What came of asking whose a token is. */
public sealed interface TokenOutcome permits TokenOutcome.Known, TokenOutcome.Unknown, Failure {

    /**
     * Somebody's.
     *
     * @param identity whose
     */
    record Known(Identity identity) implements TokenOutcome {}

    /** Nobody's, or not meant for the audience. */
    record Unknown() implements TokenOutcome {}
}
