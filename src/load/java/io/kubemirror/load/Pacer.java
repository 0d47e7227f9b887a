package io.kubemirror.load;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Passing time. */
final class Pacer {

    private Pacer() {}

    static void of(Duration duration) {
        LockSupport.parkNanos(duration.toNanos());
    }

    /** Returns at a time of {@link System#nanoTime}. */
    static void until(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
