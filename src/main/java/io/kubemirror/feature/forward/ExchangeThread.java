package io.kubemirror.feature.forward;

import java.io.IOException;

/**
 * The thread of a request that is passed on. The disconnect of the client and the shutdown of the
 * process interrupt it, which closes its connection to the API server.
 *
 * <p>Thread-safe: the monitor orders an interrupt before the end of the request, or prevents it.
 */
final class ExchangeThread {

    private final Runnable interrupt;

    /** Whether the request is to end early; guarded by this, as all fields are. */
    private boolean ending;

    private boolean writing;
    private boolean over;

    /**
     * Creates the state of a request.
     *
     * @param interrupt interrupts its thread
     */
    ExchangeThread(Runnable interrupt) {
        this.interrupt = interrupt;
    }

    /**
     * Ends the request early. A write to the client is not interrupted: it fails on its own, or the
     * request ends after it.
     */
    synchronized void end() {
        if (!over) {
            ending = true;
            if (!writing) {
                interrupt.run();
            }
        }
    }

    /**
     * Marks the beginning or the end of a write to the client.
     *
     * @throws IOException if the request is to end
     */
    synchronized void writing(boolean now) throws IOException {
        writing = now;
        if (ending) {
            throw new IOException("the client disconnected, or the process is shutting down");
        }
    }

    /** Whether a write to the client is in progress. */
    synchronized boolean isWriting() {
        return writing;
    }

    /** Whether the request is to end early. */
    synchronized boolean isEnding() {
        return ending;
    }

    /** Called by the thread of the request, which is not interrupted any more. */
    synchronized void over() {
        over = true;
        Thread.interrupted();
    }
}
