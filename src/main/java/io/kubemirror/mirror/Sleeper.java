package io.kubemirror.mirror;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.LockSupport;

/** A reader that waits for something it is interested in; made for one wait. */
final class Sleeper {

    private final Thread thread = Thread.currentThread();
    private volatile @Nullable Cursor call;

    /**
     * Wakes it, because of something that happened after a cursor; only the first call counts.
     * Called by the waker alone.
     */
    void wake(Cursor after) {
        if (call == null) {
            call = after;
        }
        LockSupport.unpark(thread);
    }

    /** What happened up to here is not what it was first woken for; null while it is to sleep. */
    @Nullable Cursor call() {
        return call;
    }
}
