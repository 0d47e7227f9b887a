package io.kubemirror.api.watch;

import io.kubemirror.api.watch.WatchSession.EndReason;

/**
 * Decides what a connection is sent: the watch of one resource, or several. Confined to the runs of
 * its {@link WatchSession}, except where a method says otherwise.
 */
sealed interface WatchSource permits ServedWatch, WatchMultiplexer {

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

        /** End the watch. */
        record End(EndReason reason) implements NextStep {}
    }

    /** Returns the next step. The previous one must have been executed. */
    NextStep next();

    /** Returns the watch whose batch is to be sent. */
    ServedWatch sender();

    /** Releases the states that are held in memory, without waiting for a pending write. */
    void releaseIfStopping();

    /** Ends what the connection is sent, once. */
    void end(EndReason why);

    /** Requests the end of the connection, and signals its session. Thread-safe. */
    void requestEnd();

    /** Whether the end of the connection has been requested. Thread-safe. */
    boolean isEndRequested();
}
