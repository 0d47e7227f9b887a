package io.kubemirror.api.watch;

/** The next step of a watch. */
sealed interface NextStep {

    /** Send a batch, and continue when it has been sent. */
    record Send(FrameBatch batch) implements NextStep {}

    /**
     * Wait for a signal.
     *
     * @param until the time at which the watch continues without a signal, on the clock of its
     *     schedule
     */
    record Rest(long until) implements NextStep {}

    /**
     * End the watch.
     *
     * @param end the reason
     */
    record End(WatchEndReason end) implements NextStep {}
}
