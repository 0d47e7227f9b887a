package io.kubemirror.api.watch;

/**
 * The wish that a watch should end, which reaches it wherever it is.
 *
 * <p>A watch that waits is told. One that writes finishes its write, or it would break its
 * connection instead of ending it cleanly (list-watch.md#wi-7): it looks for the wish before it
 * waits again. May be used from any thread.
 */
public final class StopSignal {

    /** Guarded by this. */
    private Runnable bell = () -> {};

    /** Written under the lock together with the ring, so nobody who begins to listen misses it. */
    private volatile boolean requested;

    /** Wishes that the watch should end. */
    public synchronized void request() {
        requested = true;
        bell.run();
    }

    /** Whether somebody wishes it. */
    public boolean isRequested() {
        return requested;
    }

    /**
     * Has somebody told of the wish, at once if there is one.
     *
     * @param told must return at once
     */
    synchronized void onRequest(Runnable told) {
        bell = told;
        if (requested) {
            bell.run();
        }
    }
}
