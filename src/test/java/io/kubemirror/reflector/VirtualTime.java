package io.kubemirror.reflector;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * A clock for many threads, of which exactly one runs at a time. When it sleeps or ends, the clock
 * advances to the thread that is due next. Blocking code of thousands of threads can be simulated,
 * and the same seed gives the same execution.
 *
 * <p>All fields are used only by the thread that runs. Each hands over by the semaphore of the
 * next.
 */
final class VirtualTime implements InstantSource {

    private final PriorityQueue<Sleep> sleeping =
            new PriorityQueue<>(
                    Comparator.comparing(Sleep::until).thenComparingLong(Sleep::number));
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Throwable failure;
    private Instant now = Simulation.BEGIN;
    private long number;

    private record Sleep(Instant until, long number, Semaphore wakeUp) {}

    /** What a thread does. */
    @FunctionalInterface
    interface SimulatedTask {
        void run() throws InterruptedException;
    }

    @Override
    public Instant instant() {
        return now;
    }

    /** Adds a thread, which begins at the present time; only before {@link #run}. */
    void add(SimulatedTask course) {
        Semaphore begin = enqueue(now);
        var _ = Thread.ofVirtual().start(() -> live(begin, course));
    }

    private void live(Semaphore begin, SimulatedTask course) {
        try {
            begin.acquire();
            course.run();
        } catch (InterruptedException | RuntimeException | Error e) {
            failure = failure == null ? e : failure;
        } finally {
            wakeNext();
        }
    }

    /** Runs all threads, and returns when all have ended. */
    void run() throws InterruptedException {
        wakeNext();
        ended.await();
        if (failure != null) {
            throw new AssertionError("a simulated thread failed", failure);
        }
    }

    /** Lets other threads run for a while. */
    void sleep(Duration duration) throws InterruptedException {
        Semaphore wakeUp = enqueue(now.plus(duration));
        wakeNext();
        wakeUp.acquire();
    }

    private Semaphore enqueue(Instant until) {
        Semaphore wakeUp = new Semaphore(0);
        sleeping.add(new Sleep(until, number++, wakeUp));
        return wakeUp;
    }

    private void wakeNext() {
        Sleep next = sleeping.poll();
        if (next == null) {
            ended.countDown();
            return;
        }
        now = next.until();
        next.wakeUp().release();
    }
}
