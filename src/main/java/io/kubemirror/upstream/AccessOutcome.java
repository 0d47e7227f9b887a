package io.kubemirror.upstream;

/** What came of asking whether something is permitted. */
public sealed interface AccessOutcome permits AccessOutcome.Decided, Failure {

    /**
     * The server has decided.
     *
     * @param allowed whether it is permitted
     * @param reason why, in the authorizer's words; often empty
     */
    record Decided(boolean allowed, String reason) implements AccessOutcome {}
}
