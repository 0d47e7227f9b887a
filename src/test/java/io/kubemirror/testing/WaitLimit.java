package io.kubemirror.testing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

/** How long tests wait for what must happen: long, since only a failing test ever waits it out. */
public final class WaitLimit {

    public static final Duration GENEROUS = Duration.ofSeconds(20);

    private WaitLimit() {}

    /** Waits on a condition until something holds; tells whether it does. */
    public static boolean await(
            Lock lock, Condition changed, BooleanSupplier holds, Duration limit) {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (!holds.getAsBoolean()) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Calls something that blocks at most that long, given in nanoseconds. */
    public static <T> T interruptibly(InterruptibleWait<T> waiting) {
        try {
            return waiting.await(GENEROUS.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting", e);
        }
    }

    /** A call that waits with a limit. */
    @FunctionalInterface
    public interface InterruptibleWait<T> {
        T await(long limit, TimeUnit unit) throws InterruptedException;
    }
}
