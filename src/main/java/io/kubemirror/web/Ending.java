package io.kubemirror.web;

import org.jspecify.annotations.Nullable;

import java.util.Optional;

/**
 * The wish that a watch should end, which reaches it wherever it is.
 *
 * <p>A watch that waits is woken by an interrupt. One that writes is not interrupted, since that
 * would break its connection instead of ending it cleanly (WI-7): it sees the wish before it waits
 * again. May be used from any thread.
 */
final class Ending {

    private @Nullable Thread waiting;
    private boolean requested;

    /** Something that waits until it is interrupted. */
    @FunctionalInterface
    interface Wait<T> {

        /** Waits. */
        T run() throws InterruptedException;
    }

    /** Wishes that the watch should end. */
    synchronized void request() {
        requested = true;
        if (waiting != null) {
            waiting.interrupt();
        }
    }

    /**
     * Waits, unless the watch should end.
     *
     * @return what the wait brought, empty if the watch should end
     */
    <T> Optional<T> unlessRequested(Wait<T> wait) {
        if (!begin()) {
            return Optional.empty();
        }
        try {
            return Optional.of(wait.run());
        } catch (InterruptedException woken) {
            return Optional.empty();
        } finally {
            end();
        }
    }

    private synchronized boolean begin() {
        if (!requested) {
            waiting = Thread.currentThread();
        }
        return !requested;
    }

    /** Also swallows an interrupt that came when the wait was over already. */
    private synchronized void end() {
        waiting = null;
        if (Thread.interrupted()) {
            requested = true;
        }
    }
}
