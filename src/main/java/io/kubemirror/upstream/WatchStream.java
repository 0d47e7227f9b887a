package io.kubemirror.upstream;

/** An open watch, read by one thread. */
public interface WatchStream extends AutoCloseable {

    /**
     * Waits for the next frame. After {@link WatchFrame.Ended}, {@link WatchFrame.Broken} or {@link
     * WatchFrame.Failed} there is none.
     */
    WatchFrame next();

    /**
     * Ends the watch; a thread that waits in {@link #next} gets {@link WatchFrame.Broken}. May be
     * called from any thread, and again.
     */
    @Override
    void close();
}
