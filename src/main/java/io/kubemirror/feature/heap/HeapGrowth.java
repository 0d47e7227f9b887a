package io.kubemirror.feature.heap;

import module java.base;
import module java.management;

/**
 * Collects the heap when the old objects have grown by some percentage. Changes are old when they
 * leave the history after a minute, and the serial collector looks for old garbage only when the
 * heap is full.
 */
final class HeapGrowth {

    /** How much a small heap grows at least, in bytes. */
    static final long MIN = 16L << 20;

    private final MemoryPoolMXBean old;
    private final int percent;
    private final Runnable collection;

    /**
     * Creates a limit that is not in force yet.
     *
     * @param old the memory of the old objects
     * @param percent how much it may grow over what is alive
     * @param collection collects the whole heap
     */
    HeapGrowth(MemoryPoolMXBean old, int percent, Runnable collection) {
        this.old = old;
        this.percent = percent;
        this.collection = collection;
    }

    /**
     * Begins with what is there now. The JVM compares the size after each collection and notifies
     * on a thread of its own, one notification at a time.
     */
    void limit(NotificationEmitter memory) {
        memory.addNotificationListener(
                (_, _) -> {
                    collection.run();
                    expect();
                },
                exceeded ->
                        exceeded.getType().equals(MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED),
                null);
        expect();
    }

    private void expect() {
        MemoryUsage usage = old.getUsage();
        long growth = Math.max(MIN, usage.getUsed() / 100 * percent);
        old.setUsageThreshold(Math.min(usage.getMax(), usage.getUsed() + growth));
    }
}
