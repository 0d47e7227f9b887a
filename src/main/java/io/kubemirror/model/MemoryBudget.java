package io.kubemirror.model;

import module java.base;

/**
 * A limit in bytes that several users of memory draw from together.
 *
 * <p>All methods are safe for use by any thread and never block. The counter is atomic and guards
 * no other data, so no ordering between threads depends on it.
 */
public final class MemoryBudget {

    private final AtomicLong used;
    private final long limit;

    private MemoryBudget(AtomicLong used, long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("the limit of a memory budget is negative");
        }
        this.used = used;
        this.limit = limit;
    }

    /**
     * Creates a budget that is not used.
     *
     * @param limit in bytes, not negative
     */
    public static MemoryBudget of(long limit) {
        return new MemoryBudget(new AtomicLong(), limit);
    }

    /** Creates a budget that is never exhausted, for use where memory is not limited. */
    public static MemoryBudget unlimited() {
        return of(Long.MAX_VALUE);
    }

    /**
     * Returns the same budget for users that leave the rest to others: they get nothing more once
     * all users together have so many bytes.
     *
     * @param lower in bytes, not negative
     */
    public MemoryBudget upTo(long lower) {
        return new MemoryBudget(used, Math.min(lower, limit));
    }

    /**
     * Acquires bytes, or nothing at all.
     *
     * @param bytes not negative
     * @return whether there is room for them
     */
    public boolean tryAcquire(long bytes) {
        long now = used.get();
        while (bytes <= limit - now) {
            long seen = used.compareAndExchange(now, now + bytes);
            if (seen == now) {
                return true;
            }
            now = seen;
        }
        return false;
    }

    /**
     * Acquires bytes that are in memory already, even beyond the limit. The caller then has to
     * release others until {@link #used} is within the limit.
     */
    public void acquire(long bytes) {
        used.addAndGet(bytes);
    }

    /** Returns bytes that were acquired. */
    public void release(long bytes) {
        used.addAndGet(-bytes);
    }

    /** The bytes that are acquired at present. */
    public long used() {
        return used.get();
    }

    /** The limit in bytes. */
    public long limit() {
        return limit;
    }
}
