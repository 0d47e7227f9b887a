package io.kubemirror.feature.heap;

import static com.sun.management.GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION;

import static java.lang.management.MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED;

import module java.base;
import module java.management;

/**
 * Collects the heap when the old objects have grown by some percentage. Changes are old when they
 * leave the history after a minute, and the serial collector looks for old garbage only when the
 * heap is full.
 */
final class HeapGrowth {

    /** How much a small heap grows at least, in bytes. */
    private static final long MIN = 16L << 20;

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
     * Begins with what is there now. The JVM compares the size after each collection, and notifies
     * on a thread of its own, one notification at a time. Growth counts from each collection of the
     * old objects, whatever has caused it.
     *
     * @param memory notifies when a threshold is exceeded
     * @param collector notifies when it has collected the old objects
     */
    void limit(NotificationEmitter memory, NotificationEmitter collector) {
        listen(memory, MEMORY_THRESHOLD_EXCEEDED, collection);
        listen(collector, GARBAGE_COLLECTION_NOTIFICATION, this::expect);
        expect();
    }

    private static void listen(NotificationEmitter emitter, String type, Runnable listener) {
        emitter.addNotificationListener(
                (_, _) -> listener.run(), sent -> sent.getType().equals(type), null);
    }

    private void expect() {
        MemoryUsage usage = old.getUsage();
        long growth = Math.max(MIN, usage.getUsed() / 100 * percent);
        old.setUsageThreshold(Math.min(usage.getMax(), usage.getUsed() + growth));
    }
}
