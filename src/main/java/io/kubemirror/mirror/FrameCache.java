package io.kubemirror.mirror;

import io.kubemirror.model.MemoryBudget;

import org.jspecify.annotations.Nullable;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The encoded frames of changes beyond the one that is part of the cost of each change.
 *
 * <p>They are charged to a part of the memory of all mirrors. A frame for which there is no room
 * replaces the oldest frames, because most clients read a change soon after it was logged.
 * Rejected: charging them to the history, which a client could then evict by asking for many forms.
 *
 * <p>Safe for use by any thread. The queue hands each frame to the one thread that drops it, so
 * that none is released twice.
 */
final class FrameCache {

    private final MemoryBudget budget;
    private final Queue<Frame> frames = new ConcurrentLinkedQueue<>();

    /** Creates an empty cache of at most the limit of the budget. */
    FrameCache(MemoryBudget budget) {
        this.budget = budget;
    }

    /** Keeps a frame as long as there is room for it; drops it at once if it alone does not fit. */
    void keep(Frame frame) {
        while (!budget.tryAcquire(frame.cost)) {
            if (frame.cost > budget.limit() || !dropOldest()) {
                frame.bytes = null;
                return;
            }
        }
        frames.add(frame);
    }

    /** Returns the memory of all frames, in bytes. */
    long used() {
        return budget.used();
    }

    /** Drops the oldest frame, and returns false if there is none. */
    boolean dropOldest() {
        Frame oldest = frames.poll();
        if (oldest == null) {
            return false;
        }
        oldest.bytes = null;
        budget.release(oldest.cost);
        return true;
    }

    /** An encoded form of a change, until it is dropped. */
    static final class Frame {

        /** The frame itself, its place in the queue, and its array at the change. */
        private static final int OVERHEAD = 120;

        private final Object form;
        private final long cost;

        /** Null once it is dropped. Volatile, because any thread drops and reads it. */
        private volatile byte @Nullable [] bytes;

        Frame(Object form, byte[] bytes) {
            this.form = form;
            this.bytes = bytes;
            this.cost = bytes.length + (long) OVERHEAD;
        }

        /** Returns the bytes if this is the given form and has not been dropped. */
        byte @Nullable [] bytes(Object wanted) {
            return form.equals(wanted) ? bytes : null;
        }

        boolean isDropped() {
            return bytes == null;
        }
    }
}
