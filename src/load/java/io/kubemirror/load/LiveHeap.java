package io.kubemirror;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Measures the live objects on the heap of this process after repeated garbage collections. */
final class LiveHeap implements AutoCloseable {

    /** Between two collections, so that the program gets on. */
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final ScheduledExecutorService sampler =
            Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
    private final AtomicLong most = new AtomicLong();
    private final AtomicLong samples = new AtomicLong();

    private LiveHeap() {}

    /** Begins to take samples until closed. */
    static LiveHeap sampled() {
        LiveHeap heap = new LiveHeap();
        heap.sample();
        var _ =
                heap.sampler.scheduleWithFixedDelay(
                        heap::sample, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        return heap;
    }

    private void sample() {
        most.accumulateAndGet(bytes(), Math::max);
        samples.incrementAndGet();
    }

    /** The most that was alive in any sample, in bytes. */
    long most() {
        return most.get();
    }

    /** The number of samples. */
    long samples() {
        return samples.get();
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

    @Override
    public void close() {
        sampler.shutdownNow();
    }
}
