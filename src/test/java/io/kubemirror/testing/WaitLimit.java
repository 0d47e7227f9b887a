package io.kubemirror.testing;

import module java.base;

import org.awaitility.Awaitility;

/** The time limit of waits in tests. It is long, because only a failing test reaches it. */
public final class WaitLimit {

    public static final Duration GENEROUS = Duration.ofMinutes(2);

    /** Short against a request, and long enough to leave the processor to what is waited for. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(5);

    private WaitLimit() {}

    /** Waits until a condition is true. The calling thread checks it every few milliseconds. */
    public static void until(Callable<Boolean> holds) {
        Awaitility.await()
                .atMost(GENEROUS)
                .pollDelay(Duration.ZERO)
                .pollInterval(POLL_INTERVAL)
                .pollInSameThread()
                .until(holds);
    }

    /** Waits on a condition variable until a predicate is true, and returns whether it is. */
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

    /** Calls a blocking method with the limit in nanoseconds. */
    public static <T> T interruptibly(InterruptibleWait<T> waiting) {
        return Unchecked.call(() -> waiting.await(GENEROUS.toNanos(), TimeUnit.NANOSECONDS));
    }

    /** A call that waits with a limit. */
    @FunctionalInterface
    public interface InterruptibleWait<T> {
        T await(long limit, TimeUnit unit) throws InterruptedException;
    }
}
