package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Limit;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;

import org.jspecify.annotations.Nullable;

/**
 * The memory that all mirrors of a process share: their objects and their history.
 *
 * <p>Objects cannot be evicted, history can: watches that need evicted history get a 410 and list
 * again. History uses at most three quarters of the memory and is evicted where objects need more.
 * Only a sixteenth is reserved for history, without which no watch could follow. The mirror with
 * the most history is evicted first, so that a busy mirror cannot take the history of the others.
 *
 * <p>A list or a watch that a client reads slowly keeps its state in memory. What the history does
 * not have any more is limited to an eighth, and to what objects leave; beyond that, the readers of
 * the oldest states are ended.
 *
 * <p>A mirror that has more than its share of the memory leaves a sixteenth of it to the others, so
 * that they can still grow when it cannot.
 *
 * <p>Safe for use by any thread.
 */
public final class MirrorMemory {

    private static final int RESERVED_PART = 16;
    private static final int PINNED_PART = 8;

    /** Objects and history, and what arrives from the API server. */
    private final MemoryBudget all;

    private final MemoryBudget objects;
    private final MemoryBudget history;
    private final long reserved;

    /** Requests the memory of another mirror. Set once, while mirrors are created. */
    private volatile Predicate<Mirror> reclaim = _ -> false;

    /**
     * The writers of all mirrors, also of those that have ended while clients read their states.
     * The list itself provides safe publication.
     */
    private final List<MirrorWriter> writers = new CopyOnWriteArrayList<>();

    /**
     * Creates the memory of all mirrors.
     *
     * @param all the memory that objects and history draw from
     */
    public MirrorMemory(MemoryBudget all) {
        this.all = all;
        this.reserved = all.limit() / RESERVED_PART;
        this.objects = MemoryBudget.of(all.limit() - reserved);
        this.history = MemoryBudget.of(all.limit() / 4 * 3);
    }

    /**
     * The maximum size of a mirror, in addition to the shared memory.
     *
     * @param objects the number of objects, 0 for no limit
     * @param bytes the heap memory of the objects, 0 for no limit
     */
    public record Limits(long objects, long bytes) {}

    /** Returns what the objects of all mirrors take. */
    public MemoryBudget objects() {
        return objects;
    }

    /** Returns what the history of all mirrors takes. */
    public MemoryBudget history() {
        return history;
    }

    /**
     * Sets what is called when the objects of a mirror do not fit, on the thread of its writer,
     * which waits for no other: it requests the end of some other mirror and returns at once
     * whether memory will be returned. The objects are refused meanwhile.
     */
    public void onPressure(Predicate<Mirror> reclaiming) {
        reclaim = reclaiming;
    }

    /** Registers a writer, whose history counts from now on, and creates its account. */
    Account join(MirrorWriter writer, Limits limits) {
        writers.add(writer);
        return new Account(writer, limits);
    }

    /**
     * Evicts history beyond its limit, and ends the readers of past states beyond theirs. The
     * caller must not hold any lock: readers that end may log.
     */
    void shorten() {
        shorten(0);
        endSlowReaders();
    }

    private void endSlowReaders() {
        writers.removeIf(MirrorWriter::isDone);
        while (pinned() > Math.clamp(all.limit() - objects.used(), 0, all.limit() / PINNED_PART)) {
            writers.stream()
                    .map(MirrorWriter::mirror)
                    .max(Comparator.comparingLong(Mirror::pinned))
                    .ifPresent(slowest -> slowest.pins().abortOldest());
        }
    }

    private long pinned() {
        return writers.stream().mapToLong(writer -> writer.mirror().pinned()).sum();
    }

    private void shorten(long needed) {
        long excess = excess(needed);
        while (excess > 0) {
            Optional<MirrorWriter> longest =
                    writers.stream().max(Comparator.comparingLong(MirrorMemory::historyOf));
            if (longest.isEmpty() || historyOf(longest.get()) == 0) {
                return;
            }
            longest.get().shorten(excess);
            excess = excess(needed);
        }
    }

    private static long historyOf(MirrorWriter writer) {
        return writer.mirror().view().recent().bytes();
    }

    private long excess(long needed) {
        long others = all.used() - history.used() + pinned() + needed;
        long allowed = Math.max(reserved, history.limit() - others);
        long crowded = Math.min(history.used() - reserved, history.used() + others - all.limit());
        return Math.max(history.used() - allowed, crowded);
    }

    /**
     * The memory of one mirror: its objects, including those of a synchronization in progress, and
     * its history. Used by the writer's thread, which must not hold the lock of any writer, except
     * for {@link #logged}.
     */
    final class Account {

        private final MirrorWriter writer;
        private final Limits limits;
        private final long maxBytes;

        /** The bytes acquired for objects. */
        private long used;

        /** The bytes of history that are accounted for. Guarded by the lock of the writer. */
        private long logged;

        private Account(MirrorWriter writer, Limits limits) {
            this.writer = writer;
            this.limits = limits;
            this.maxBytes =
                    limits.bytes() == 0
                            ? objects.limit()
                            : Math.min(limits.bytes(), objects.limit());
        }

        /**
         * Checks that an object fits and acquires the missing memory.
         *
         * @param count the number of objects without it
         * @param cost the memory of all of them together with it
         * @param growth the part of that memory that is not acquired yet
         * @throws OverBudgetException if it does not fit
         */
        void acquire(long count, long cost, long growth) {
            if (limits.objects() > 0 && count >= limits.objects()) {
                throw new OverBudgetException(
                        new Excess(Limit.OBJECTS, limits.objects(), count, cost, false));
            }
            if (growth > 0 && !tryAcquire(growth)) {
                boolean alone = growth > maxBytes - used;
                boolean temporary = !alone && isReclaimed();
                // What was reclaimed a moment ago is free now.
                if (temporary || !tryAcquire(growth)) {
                    boolean own = limits.bytes() > 0 && alone;
                    Limit limit = own ? Limit.BYTES : Limit.SHARED;
                    long allowed = own ? limits.bytes() : objects.limit();
                    throw new OverBudgetException(
                            new Excess(limit, allowed, count, cost, temporary));
                }
            }
        }

        /** Whoever fails to end another mirror must not end this one. */
        private boolean isReclaimed() {
            try {
                return reclaim.test(writer.mirror());
            } catch (RuntimeException | Error _) {
                return false;
            }
        }

        /** Evicts history if necessary. */
        private boolean tryAcquire(long bytes) {
            if (bytes > maxBytes - used) {
                return false;
            }
            if (!take(bytes)) {
                shorten(bytes);
                return take(bytes);
            }
            return true;
        }

        private boolean take(long bytes) {
            if (!leavesRoom(bytes) || !objects.tryAcquire(bytes)) {
                return false;
            }
            if (!all.tryAcquire(bytes)) {
                objects.release(bytes);
                return false;
            }
            used += bytes;
            return true;
        }

        private boolean leavesRoom(long bytes) {
            long share = objects.limit() / Math.max(1, writers.size());
            long free = objects.limit() - objects.used() - bytes;
            return writers.size() == 1 || used + bytes <= share || free >= reserved;
        }

        /** Ensures that there is room for an object in place of another. */
        void reserve(Snapshot before, @Nullable KubeObject previous, KubeObject object) {
            long growth = object.heapBytes() - (previous == null ? 0 : previous.heapBytes());
            acquire(previous == null ? before.size() : 0, before.heapBytes() + growth, growth);
        }

        /** Returns memory that was acquired. */
        void release(long freed) {
            hold(used - freed);
        }

        /** Acquires or releases memory so that it matches the objects. */
        void hold(long bytes) {
            adjust(objects, bytes - used);
            used = bytes;
        }

        /**
         * Acquires or releases memory so that it matches the history. For any thread that holds the
         * lock of the writer, since another writer may shorten the history.
         */
        void logged(long bytes) {
            adjust(history, bytes - logged);
            logged = bytes;
        }

        private void adjust(MemoryBudget part, long bytes) {
            part.acquire(bytes);
            all.acquire(bytes);
        }
    }

    /**
     * Thrown when an object does not fit into the memory of its mirror. The objects that were there
     * before remain.
     *
     * <p>An exception and not an outcome, since it ends a synchronization wherever an object
     * arrives, in the middle of a page as well as in a watch.
     */
    public static final class OverBudgetException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient Excess excess;

        /** Creates an exception for an object that does not fit. */
        public OverBudgetException(Excess excess) {
            super(excess.toString());
            this.excess = excess;
        }

        /** Returns what is exceeded. */
        public Excess excess() {
            return excess;
        }

        /**
         * What does not fit.
         *
         * @param limit the limit that is exceeded
         * @param allowed the limit, in objects or bytes
         * @param objects the number of objects before this one
         * @param bytes the memory of all of them together with this one, in bytes
         * @param temporary whether another mirror has been asked to return its memory: it may fit
         *     soon
         */
        public record Excess(
                Limit limit, long allowed, long objects, long bytes, boolean temporary) {}

        /** A limit that an object can exceed. */
        public enum Limit {
            /** The maximum number of objects of the resource. */
            OBJECTS,
            /** The memory limit of the resource. */
            BYTES,
            /** The memory that all mirrors share. */
            SHARED
        }
    }
}
