package io.kubemirror.model;

import module java.base;

import org.jspecify.annotations.Nullable;

/**
 * A limit in bytes that several users of memory draw from together.
 *
 * <p>Budgets form a tree. The root is the budget of the process; its parts limit the mirrors and
 * the clients, and their parts limit one mirror or one kind of client data. Bytes acquired from a
 * part count against the part and all budgets above it. The parts of a budget may add up to more
 * than the budget itself.
 *
 * <p>All methods are safe for use by any thread and never block. Counters are atomic and guard no
 * other data, so no ordering between threads depends on them.
 */
public final class MemoryBudget {

    private final String name;
    private final @Nullable MemoryBudget parent;
    private final long limit;
    private final AtomicLong used = new AtomicLong();
    private final List<MemoryBudget> parts = new CopyOnWriteArrayList<>();

    private MemoryBudget(String name, @Nullable MemoryBudget parent, long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("the limit of budget " + name + " is negative");
        }
        this.name = name;
        this.parent = parent;
        this.limit = limit;
    }

    /**
     * Creates the budget of a process.
     *
     * @param limit in bytes, not negative
     */
    public static MemoryBudget ofProcess(long limit) {
        return new MemoryBudget("process", null, limit);
    }

    /** Creates a budget that is never exhausted, for use where memory is not limited. */
    public static MemoryBudget unlimited() {
        return ofProcess(Long.MAX_VALUE);
    }

    /**
     * Creates a part of this budget.
     *
     * @param part the name of the part, unique within this budget; a metric label
     * @param limit in bytes, not negative; the effective limit is never above this budget's own
     */
    public MemoryBudget part(String part, long limit) {
        MemoryBudget created = new MemoryBudget(part, this, Math.min(limit, this.limit));
        parts.add(created);
        return created;
    }

    /**
     * Removes a part whose user has ended. What it still has acquired counts against this budget
     * until it is released.
     */
    public void remove(MemoryBudget part) {
        parts.remove(part);
    }

    /**
     * Acquires bytes from this budget and all budgets above it, or nothing at all.
     *
     * @param bytes not negative
     * @return whether every budget has room for them
     */
    public boolean tryAcquire(long bytes) {
        if (parent != null && !parent.tryAcquire(bytes)) {
            return false;
        }
        if (take(bytes)) {
            return true;
        }
        if (parent != null) {
            parent.release(bytes);
        }
        return false;
    }

    private boolean take(long bytes) {
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
     * Acquires bytes that are in memory already, even beyond the limits. The caller then has to
     * release others until {@link #used} is within the limit of every budget.
     *
     * @param bytes not negative
     */
    public void acquire(long bytes) {
        used.addAndGet(bytes);
        if (parent != null) {
            parent.acquire(bytes);
        }
    }

    /**
     * Returns bytes that were acquired from this budget.
     *
     * @param bytes not negative
     */
    public void release(long bytes) {
        used.addAndGet(-bytes);
        if (parent != null) {
            parent.release(bytes);
        }
    }

    /** The bytes that are acquired at present. */
    public long used() {
        return used.get();
    }

    /** The limit in bytes. */
    public long limit() {
        return limit;
    }

    /** The name, unique among the parts of one budget. */
    public String name() {
        return name;
    }

    /** The parts of this budget, in the order of their creation. */
    public List<MemoryBudget> parts() {
        return List.copyOf(parts);
    }
}
