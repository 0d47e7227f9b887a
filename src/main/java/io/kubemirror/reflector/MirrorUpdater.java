package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

/**
 * Keeps one mirror up to date on threads of its own: from a source, or from other mirrors. It runs
 * once.
 */
public interface MirrorUpdater extends AutoCloseable {

    /** Returns the mirror. */
    Mirror mirror();

    /**
     * Starts to update the mirror.
     *
     * @throws IllegalThreadStateException if it was started before
     */
    void start();

    /** Returns whether it has been started. */
    boolean isStarted();

    /** Stops, and waits for up to five seconds until the threads have ended. */
    @Override
    void close();

    /** Stops as {@link #close} does, and returns the memory of the mirror, which was removed. */
    void end();

    /**
     * Requests that the mirror reaches a revision of the server soon. Returns at once, and may be
     * called by any thread, often.
     */
    void requestProgress(Revision revision);

    /** Returns the status for operators. May be called by any thread. */
    ReflectorStatus reflectorStatus();

    /** Returns the counts since the start. */
    ReflectorCounts counts();
}
