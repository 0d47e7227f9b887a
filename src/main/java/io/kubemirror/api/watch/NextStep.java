package io.kubemirror.api.watch;

/** What a watch does next. */
sealed interface NextStep {

    /**
     * It sends something, and goes on when that is on its way.
     *
     * @param batch what
     */
    record Send(FrameBatch batch) implements NextStep {}

    /**
     * It waits until it is woken.
     *
     * @param until when it goes on at the latest, on the clock of its schedule
     */
    record Rest(long until) implements NextStep {}

    /**
     * It is over.
     *
     * @param end why
     */
    record End(WatchEndReason end) implements NextStep {}
}
