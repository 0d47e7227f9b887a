package io.kubemirror.upstream;

/** The result of asking whether an operation is permitted. */
public sealed interface AccessOutcome permits AccessOutcome.Decided, Failure {

    /**
     * The server has decided.
     *
     * @param allowed whether the operation is permitted
     * @param reason the reason given by the authorizer; often empty
     */
    record Decided(boolean allowed, String reason) implements AccessOutcome {}
}
