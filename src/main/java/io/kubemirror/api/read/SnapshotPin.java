package io.kubemirror.api.read;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps a snapshot in memory while a response is sent from it, regardless of later changes of the
 * mirror. Used by one thread.
 */
public final class SnapshotPin implements AutoCloseable {

    private final AtomicInteger pinned;
    private boolean held;

    /**
     * Creates a pin that holds no state yet.
     *
     * @param pinned counts the pins that hold a state
     */
    public SnapshotPin(AtomicInteger pinned) {
        this.pinned = pinned;
    }

    /** Sets whether this pin holds a state from now on. */
    public SnapshotPin hold(boolean needed) {
        if (needed != held) {
            pinned.addAndGet(needed ? 1 : -1);
            held = needed;
        }
        return this;
    }

    @Override
    public void close() {
        hold(false);
    }
}
