package io.kubemirror.api.read;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What an answer holds while it is being sent: the state that it began with, which stays in memory
 * for as long, whatever the mirror does. Used by one thread.
 */
public final class SnapshotPin implements AutoCloseable {

    private final AtomicInteger pinned;
    private boolean held;

    /**
     * A pin that holds nothing yet.
     *
     * @param pinned counts those that hold something
     */
    public SnapshotPin(AtomicInteger pinned) {
        this.pinned = pinned;
    }

    /** Whether it holds a state from now on. */
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
