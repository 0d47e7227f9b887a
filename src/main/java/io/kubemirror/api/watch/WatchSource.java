package io.kubemirror.api.watch;

import io.kubemirror.api.watch.WatchConnection.EndReason;

/**
 * Decides what a connection is sent: the watch of one resource, or several in turn. Confined to the
 * runs of its {@link WatchConnection}, which end when the {@linkplain CoalescingTask task} says so.
 */
public interface WatchSource {

    /** The next step of a connection. */
    sealed interface NextStep {

        /** Send a batch, and continue when it has been sent. */
        record Send(FrameBatch batch) implements NextStep {}

        /**
         * Wait for a signal.
         *
         * @param until the time at which the connection continues without a signal, on the clock of
         *     its schedule
         */
        record Rest(long until) implements NextStep {}

        /** End the connection. */
        record End(EndReason reason) implements NextStep {}
    }

    /** Returns the next step. The previous one must have been executed. */
    NextStep next();

    /** Returns the watch whose batch is to be sent. */
    Watch sender();

    /** Releases the states that are held in memory, without waiting for a pending write. */
    void releaseIfStopping();

    /** Ends what the connection is sent, once. */
    void end(EndReason why);
}
