package io.kubemirror.load;

import module java.base;

import org.awaitility.Awaitility;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;

/** Measures the live objects on the heap of this process after repeated garbage collections. */
final class LiveHeap {

    /**
     * How much longer than a collection the program then runs, so that it gets on nearly as fast as
     * without.
     */
    private static final int PAUSE = 3;

    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** What the JVM may load and keep meanwhile, in bytes. */
    private static final long TOLERANCE = 4_000_000;

    private final ScheduledExecutorService sampler =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
    private final AtomicLong most = new AtomicLong();

    private LiveHeap() {}

    /** Begins to take samples until stopped. */
    static LiveHeap sampled() {
        LiveHeap heap = new LiveHeap();
        heap.sample();
        return heap;
    }

    private void sample() {
        long begun = System.nanoTime();
        most.accumulateAndGet(bytes(), Math::max);
        long pause = PAUSE * (System.nanoTime() - begun);
        if (!sampler.isShutdown()) {
            var _ = sampler.schedule(this::sample, pause, TimeUnit.NANOSECONDS);
        }
    }

    /** Ends the samples with a last one, and returns the most that was alive in any, in bytes. */
    long stop() {
        sampler.shutdownNow();
        sample();
        return most.get();
    }

    /**
     * Waits until the live heap is back at a baseline. Threads that are still ending may keep the
     * objects of a closed mirror alive for a moment.
     *
     * @param baseline the size before the mirror was created, in bytes
     * @return the present size, in bytes, at most 4 MB above the baseline
     */
    static long awaitBaseline(long baseline) {
        return Awaitility.await()
                .atMost(LIMIT)
                .until(LiveHeap::bytes, now -> now <= baseline + TOLERANCE);
    }

    /** What is alive now, in bytes. */
    static long bytes() {
        ManagementFactory.getMemoryMXBean().gc();
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getCollectionUsage)
                .flatMap(usage -> Optional.ofNullable(usage).stream())
                .mapToLong(usage -> usage.getUsed())
                .sum();
    }
}
