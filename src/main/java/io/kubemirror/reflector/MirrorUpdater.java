package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Names;
import io.kubemirror.model.Revision;

import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Keeps one mirror up to date on threads of its own: from a source, or from other mirrors. It runs
 * once.
 */
public interface MirrorUpdater extends AutoCloseable {

    /**
     * Starts a log line with the fields that all lines about mirrors have. For any thread.
     *
     * @param action the event, in one word
     */
    static LoggingEventBuilder line(Logger log, Mirror mirror, Level level, String action) {
        return log.atLevel(level)
                .addKeyValue("event.action", action)
                .addKeyValue("kubemirror.resource", mirror.scope().toString())
                .addKeyValue("kubemirror.phase", Names.kebab(mirror.upstream().phase()))
                .addKeyValue("kubemirror.revision", mirror.revision().digits());
    }

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
