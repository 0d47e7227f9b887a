package io.kubemirror.source;

/** An open watch, read by one thread. Frames are read from the network when they are requested. */
public interface WatchStream extends AutoCloseable {

    /** Waits for the next frame. No frame follows a {@link WatchFrame.End}. */
    WatchFrame next();

    /**
     * Closes the watch. A thread that waits in {@link #next} gets {@link WatchFrame.Broken}. May be
     * called from any thread, and repeatedly.
     */
    @Override
    void close();
}
