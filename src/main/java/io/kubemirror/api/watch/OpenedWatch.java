package io.kubemirror.api.watch;

/** A watch whose headers have been sent, of one resource or of several. */
public interface OpenedWatch {

    /**
     * Starts serving the watch on another thread.
     *
     * @param answered called at the end, on a thread of the executor
     */
    void start(Runnable answered);
}
