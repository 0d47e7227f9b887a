package io.kubemirror.upstream;

/** The result of reviewing whether an identity may perform an operation. */
public sealed interface ReviewOutcome permits ReviewOutcome.Allowed, ReviewOutcome.Denied, Failure {

    /** The operation is allowed. */
    record Allowed() implements ReviewOutcome {}

    /**
     * The operation is denied.
     *
     * @param reason the reason given by the authorizer; often empty
     */
    record Denied(String reason) implements ReviewOutcome {}
}
