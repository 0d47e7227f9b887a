package io.kubemirror;

/**
 * Divides the memory budget of the process.
 *
 * @param limit the limit of everything together, in bytes
 * @param clients the part for clients, in bytes; the rest is for mirrors
 */
record MemoryPlan(long limit, long clients) {

    /** Minimum limit, in bytes. With less, not even an empty collection is mirrored reliably. */
    static final long SMALLEST = 4L << 20;

    /** Minimum size of the part for clients and of the part for mirrors, in bytes. */
    static final long SMALLEST_PART = 1L << 20;

    /**
     * Memory that the process itself needs, in bytes: classes, Spring, Jetty, metrics, and threads.
     */
    private static final long PROGRAM = 30L << 20;

    /**
     * The divisor for the fraction of the heap that stays free for garbage and for memory that is
     * counted only approximately.
     */
    private static final int FREE_PART = 10;

    /** The part of a limit of which clients get less, in bytes. */
    private static final long SMALL_LIMIT = 100L << 20;

    /**
     * The default limit for a heap, in bytes.
     *
     * @param heap the maximum heap size, in bytes
     */
    static long limit(long heap) {
        return Math.max(SMALLEST, heap - heap / FREE_PART - PROGRAM);
    }

    /**
     * The default part for clients, in bytes: a fifth of the first 100 MB of a limit, where a
     * collection needs the room, and two fifths of the rest, for thousands of watches.
     *
     * @param limit the limit of everything together, in bytes
     */
    static long clients(long limit) {
        long small = Math.min(limit, SMALL_LIMIT);
        return Math.max(SMALLEST_PART, small / 5 + (limit - small) / 5 * 2);
    }

    /** The part for mirrors, in bytes. */
    long mirrors() {
        return limit - clients;
    }

    /**
     * The default maximum size of an object, in bytes. Reading an object takes three times its
     * size. etcd stores objects of up to 1.5 MB by default.
     */
    long largestObject() {
        return Math.min(mirrors() / 2, Math.clamp(mirrors() / 8, 2L << 20, 16L << 20));
    }
}
