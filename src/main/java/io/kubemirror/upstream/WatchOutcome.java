package io.kubemirror.upstream;

/** The result of a watch request. */
public sealed interface WatchOutcome permits WatchOutcome.Opened, Failure {

    /**
     * The server accepted the watch; events may follow.
     *
     * @param stream the events; the caller closes it
     */
    record Opened(WatchConnection stream) implements WatchOutcome {}
}
