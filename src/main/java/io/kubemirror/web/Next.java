package io.kubemirror.web;

/** What a watch does next. */
sealed interface Next {

    /**
     * It sends something, and goes on when that is on its way.
     *
     * @param portion what
     */
    record Send(Portion portion) implements Next {}

    /**
     * It waits until it is woken.
     *
     * @param until when it goes on at the latest, on the clock of its schedule
     */
    record Rest(long until) implements Next {}

    /**
     * It is over.
     *
     * @param end why
     */
    record End(WatchEnd end) implements Next {}
}
