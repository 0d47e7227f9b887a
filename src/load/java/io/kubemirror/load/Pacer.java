package io.kubemirror.load;

import module java.base;

/** Passing time. An interruption ends a wait with an exception, so a chapter can be ended. */
final class Pacer {

    private Pacer() {}

    static void of(Duration duration) {
        until(System.nanoTime() + duration.toNanos());
    }

    /** Returns at a time of {@link System#nanoTime}. */
    static void until(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.currentThread().isInterrupted()) {
                throw new IllegalStateException("interrupted");
            }
        }
    }
}
