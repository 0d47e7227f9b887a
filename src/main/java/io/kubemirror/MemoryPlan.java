package io.kubemirror;

/**
 * How the memory budget of the process is divided.
 *
 * @param limit of everything together, in bytes
 * @param clients the part for clients, in bytes; the rest is for mirrors
 */
record MemoryPlan(long limit, long clients) {

    /** With less not even an empty collection is mirrored reliably. */
    static final long SMALLEST = 4L << 20;

    /** Neither clients nor mirrors get less. */
    static final long SMALLEST_PART = 1L << 20;

    /** What the process needs by itself: classes, Spring, Jetty, metrics, and threads. */
    private static final long PROGRAM = 30L << 20;

    /**
     * The part of the heap that stays free, so that there is room for garbage between two
     * collections and for what is counted only approximately.
     */
    private static final int FREE_PART = 10;

    /**
     * The limit for a heap, in bytes, if none is configured.
     *
     * @param heap the maximum heap size, in bytes
     */
    static long limit(long heap) {
        return Math.max(SMALLEST, heap - heap / FREE_PART - PROGRAM);
    }

    /** The part for mirrors, in bytes. */
    long mirrors() {
        return limit - clients;
    }

    /**
     * The size of the largest object that is accepted if none is configured, in bytes: while it is
     * read it takes three times as much. etcd stores objects of up to 1.5 MB unless configured.
     */
    long largestObject() {
        return Math.min(mirrors() / 2, Math.clamp(mirrors() / 8, 2L << 20, 16L << 20));
    }
}
