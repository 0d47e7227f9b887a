package io.kubemirror.upstream;

/** What came of asking whether somebody is permitted to do something. */
public sealed interface ReviewOutcome permits ReviewOutcome.Allowed, ReviewOutcome.Denied, Failure {

    /** They are. */
    record Allowed() implements ReviewOutcome {}

    /**
     * They are not.
     *
     * @param reason why, in the words of whoever decided; often empty
     */
    record Denied(String reason) implements ReviewOutcome {}
}
