package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope;

import org.jspecify.annotations.Nullable;

/**
 * Follows a sample of the changes from the event of the API server to the clients of watches.
 *
 * <p>Safe for use by any thread. A trace is registered before its change is published, so every
 * watch that reads the change finds it.
 */
public interface ChangeTracer {

    /** Follows no change. */
    ChangeTracer NONE = new ChangeTracer() {};

    /**
     * Records that an event has arrived, before it is applied.
     *
     * @param event the kind of event, such as {@code added}
     * @param revision the revision of the change
     * @return the trace, to be closed by the same thread as soon as readers see the change
     */
    default Trace arrived(Scope scope, String event, Revision revision) {
        return Trace.NONE;
    }

    /**
     * Returns the trace of a change, null if it is not in the sample.
     *
     * @param scope the mirror in which the change was found, which may show others together
     */
    default @Nullable Trace find(Scope scope, Revision revision) {
        return null;
    }

    /** The trace of one change. */
    interface Trace extends AutoCloseable {

        /** The trace of a change that is not in the sample. */
        Trace NONE = new Trace() {};

        /** Records the delay of the change, null if the API server does not date it. */
        default void lag(@Nullable Duration lag) {}

        /**
         * Records that a watch has sent the change. For any thread, also after the end of the
         * trace.
         *
         * @param recorder gets the time since the arrival, in nanoseconds; not called if enough
         *     deliveries of the change have been recorded
         */
        default void delivered(LongConsumer recorder) {}

        /** Records that readers see the change. */
        @Override
        default void close() {}
    }
}
