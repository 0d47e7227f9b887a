package io.kubemirror.upstream;

/** What came of a watch request. */
public sealed interface WatchOutcome permits WatchOutcome.Opened, Failure {

    /**
     * The server accepted; events may follow.
     *
     * @param stream the events, to be closed by the caller
     */
    record Opened(WatchConnection stream) implements WatchOutcome {}
}
