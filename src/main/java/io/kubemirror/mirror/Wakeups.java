package io.kubemirror.mirror;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Where readers sleep until the mirror changes.
 *
 * <p>The writer only tells the waker that there is something to do; the waker unparks everybody. So
 * a publication costs the writer the same with one reader and with 10,000. Rejected: a monitor or a
 * condition, whose woken readers queue for one lock (232 ms to the last of 9,000); and a lock-free
 * stack of parked readers, which is as fast but keeps every reader that gave up until the next
 * change, on a quiet collection perhaps for ever.
 */
final class Wakeups {

    private final Set<Thread> parked = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Executor waker;

    Wakeups(Executor waker) {
        this.waker = waker;
    }

    /** Wakes everybody who sleeps, soon and on another thread. */
    void signal() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                waker.execute(this::wakeAll);
            } catch (RejectedExecutionException closing) {
                // Readers have limits to their patience, and nobody waits while the process ends.
                scheduled.set(false);
            }
        }
    }

    /**
     * Sleeps until something is true, which is looked at after every signal.
     *
     * @param nanos how long at most; nothing or less for no sleep at all
     * @return whether it is true
     * @throws InterruptedException if the thread is interrupted
     */
    boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
        if (nanos <= 0 || condition.getAsBoolean()) {
            return condition.getAsBoolean();
        }
        long deadline = System.nanoTime() + nanos;
        Thread thread = Thread.currentThread();
        parked.add(thread);
        try {
            long remaining = nanos;
            while (!condition.getAsBoolean() && remaining > 0) {
                LockSupport.parkNanos(this, remaining);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                remaining = deadline - System.nanoTime();
            }
        } finally {
            parked.remove(thread);
        }
        return condition.getAsBoolean();
    }

    private void wakeAll() {
        // Cleared first: whoever publishes from here on schedules another round.
        scheduled.set(false);
        parked.forEach(LockSupport::unpark);
    }
}
