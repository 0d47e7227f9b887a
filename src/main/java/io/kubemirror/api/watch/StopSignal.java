package io.kubemirror.api.watch;

/**
 * A request to end a watch, whatever the watch is doing.
 *
 * <p>A waiting watch is signaled. A writing watch finishes its write first, because otherwise it
 * would break its connection instead of ending it cleanly (list-watch.md#wi-7). It checks this
 * signal before it waits again. Thread-safe.
 */
public final class StopSignal {

    /** Guarded by this. */
    private Runnable listener = () -> {};

    /** Written under the lock that also guards the listener, so no listener misses the request. */
    private volatile boolean requested;

    /** Requests the end of the watch. */
    public synchronized void request() {
        requested = true;
        listener.run();
    }

    /** Whether the end of the watch has been requested. */
    public boolean isRequested() {
        return requested;
    }

    /**
     * Sets the listener, and calls it immediately if the end has already been requested.
     *
     * @param added the listener; must return immediately
     */
    synchronized void onRequest(Runnable added) {
        listener = added;
        if (requested) {
            listener.run();
        }
    }
}
