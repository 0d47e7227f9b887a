package io.kubemirror.upstream;

import io.kubemirror.model.Identity;

/** The result of reviewing a token. */
public sealed interface TokenOutcome permits TokenOutcome.Known, TokenOutcome.Unknown, Failure {

    /**
     * The token is valid.
     *
     * @param identity the identity that the token belongs to
     */
    record Known(Identity identity) implements TokenOutcome {}

    /** The token is invalid, or not issued for an accepted audience. */
    record Unknown() implements TokenOutcome {}
}
