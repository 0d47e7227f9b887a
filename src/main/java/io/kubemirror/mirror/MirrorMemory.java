package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.EventLog.LogView;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Excess;
import io.kubemirror.mirror.MirrorMemory.OverBudgetException.Limit;
import io.kubemirror.mirror.SnapshotPins.Recount;
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
 * not have any more is limited to an eighth; beyond that, the readers of the oldest states are
 * aborted.
 *
 * <p>A mirror that has more than its share of the memory leaves a sixteenth of it to the others, so
 * that they can still grow when it cannot.
 *
 * <p>Safe for use by any thread.
 */
public final class MirrorMemory {

    private static final int RESERVED_PART = 16;
    private static final int SNAPSHOT_PART = 8;

    private final MemoryBudget all;
    private final MemoryBudget objects;
    private final MemoryBudget history;

    /** What slow readers hold beyond the history. */
    private final MemoryBudget snapshots;

    /** The accounts of mirrors of which slow readers hold something. */
    private final Set<Account> holders = ConcurrentHashMap.newKeySet();

    private final long reserved;

    /** Requests the memory of another mirror. Set once, while mirrors are created. */
    private volatile Predicate<Mirror> reclaim = _ -> false;

    /**
     * Written while mirrors are created and read by their writers. The list itself provides safe
     * publication.
     */
    private final List<MirrorWriter> writers = new CopyOnWriteArrayList<>();

    /**
     * Creates the memory of all mirrors.
     *
     * @param all the parent budget; gets the parts {@code objects} and {@code history}
     */
    public MirrorMemory(MemoryBudget all) {
        this.all = all;
        this.reserved = all.limit() / RESERVED_PART;
        this.objects = all.part("objects", all.limit() - reserved);
        this.history = all.part("history", all.limit());
        this.snapshots = all.part("snapshots", all.limit() / SNAPSHOT_PART);
    }

    /**
     * The maximum size of a mirror, in addition to the shared memory.
     *
     * @param objects the number of objects, 0 for no limit
     * @param bytes the heap memory of the objects, 0 for no limit
     */
    public record Limits(long objects, long bytes) {

        /** No limits. */
        public static final Limits NONE = new Limits(0, 0);

        /** Validates the limits. */
        public Limits {
            if (objects < 0 || bytes < 0) {
                throw new IllegalArgumentException("a limit is negative");
            }
        }
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

    /** Evicts history beyond its limit. The caller must not hold the lock of any writer. */
    void shorten() {
        shorten(0);
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

    /**
     * Ends readers of the mirror of which they hold most, whoever publishes, until the others have
     * room. The caller must not hold any lock: those who end may log, or end others.
     */
    void endSlowReaders() {
        List<Runnable> aborts = new ArrayList<>();
        Optional<Account> most = Optional.empty();
        do {
            most.ifPresent(account -> account.removeOldest(aborts::add));
            most =
                    snapshots.used() > snapshots.limit()
                            ? holders.stream().max(Comparator.comparingLong(one -> one.pinned))
                            : Optional.empty();
        } while (most.isPresent());
        aborts.forEach(Runnable::run);
    }

    private static long historyOf(MirrorWriter writer) {
        return writer.mirror().view().recent().bytes();
    }

    private long excess(long needed) {
        long yielding = history.used() + snapshots.used();
        long others = all.used() - yielding + needed;
        long allowed = Math.max(reserved, all.limit() / 4 * 3 - others);
        long crowded = Math.min(history.used() - reserved, all.used() + needed - all.limit());
        return Math.max(history.used() - allowed, crowded);
    }

    /**
     * The memory of one mirror: its objects, including those of a synchronization in progress, and
     * its history. Used by the writer's thread, which must not hold the lock of any writer, except
     * for {@link #logged}.
     */
    final class Account {

        private final MemoryBudget part;
        private final SnapshotPins pins;

        private final Limits limits;

        /** The bytes acquired for the stored objects. */
        private long held;

        private final MirrorWriter writer;

        /** The bytes of history that are accounted for. Guarded by the monitor of the account. */
        private long logged;

        /** The bytes that only slow readers hold. Written under the monitor of the account. */
        private volatile long pinned;

        /** The view without content that follows the end. Guarded by the monitor of the account. */
        private @Nullable View ended;

        private Account(MirrorWriter writer, Limits limits) {
            Mirror mirror = writer.mirror();
            this.writer = writer;
            this.part = objects.part(mirror.scope().toString(), bytes(limits));
            this.pins = mirror.pins();
            this.limits = limits;
        }

        private static long bytes(Limits limits) {
            return limits.bytes() == 0 ? Long.MAX_VALUE : limits.bytes();
        }

        /**
         * Checks that an object fits and acquires the missing memory, but assigns none to the
         * collection itself.
         *
         * @param count the number of objects without it
         * @param cost the memory of all of them together with it
         * @param growth the part of that memory that is not acquired yet
         * @throws OverBudgetException if it does not fit
         */
        void acquire(long count, long cost, long growth) {
            checkCount(count + 1, count, cost);
            if (growth > 0 && !tryAcquire(growth)) {
                boolean alone = growth > part.limit() - part.used();
                boolean temporary = !alone && reclaim.test(writer.mirror());
                // What was reclaimed a moment ago is free now.
                if (temporary || !tryAcquire(growth)) {
                    throw tooLarge(limits.bytes() > 0 && alone, count, cost, temporary);
                }
            }
        }

        /** Evicts history if necessary. */
        private boolean tryAcquire(long bytes) {
            if (leavesRoom(bytes) && part.tryAcquire(bytes)) {
                return true;
            }
            if (bytes > part.limit() - part.used()) {
                return false;
            }
            shorten(bytes);
            return leavesRoom(bytes) && part.tryAcquire(bytes);
        }

        private boolean leavesRoom(long bytes) {
            long share = objects.limit() / Math.max(1, writers.size());
            long free = objects.limit() - objects.used() - bytes;
            return writers.size() == 1 || part.used() + bytes <= share || free >= reserved;
        }

        /** See {@link Resync#expect}. */
        void expect(long count, long cost, long remaining) {
            checkCount(count + remaining, count, cost);
            double factor = count == 0 ? 1 : 1 + (double) remaining / count;
            if (cost * factor > 1.5 * part.limit()) {
                throw tooLarge(part.limit() == limits.bytes(), count, cost, false);
            }
        }

        private void checkCount(long expected, long count, long cost) {
            if (limits.objects() > 0 && expected > limits.objects()) {
                throw new OverBudgetException(
                        new Excess(Limit.OBJECTS, limits.objects(), count, cost, false));
            }
        }

        private OverBudgetException tooLarge(
                boolean own, long count, long cost, boolean temporary) {
            Limit limit = own ? Limit.BYTES : Limit.SHARED;
            long allowed = own ? limits.bytes() : objects.limit();
            return new OverBudgetException(new Excess(limit, allowed, count, cost, temporary));
        }

        /** Ensures that there is room for an object in place of another. */
        void reserve(int count, @Nullable KubeObject previous, KubeObject object) {
            long growth = object.heapBytes() - (previous == null ? 0 : previous.heapBytes());
            acquire(previous == null ? count : 0, held + growth, growth);
            held += Math.max(0, growth);
        }

        /** Releases memory that was acquired but not assigned to the collection. */
        void release(long freed) {
            part.release(freed);
        }

        /** Assigns memory that was acquired to the collection. */
        void adopt(long acquired) {
            held += acquired;
        }

        /** Acquires or releases memory so that it matches the stored objects. */
        void stored(@Nullable Snapshot state) {
            long bytes = state == null ? 0 : state.heapBytes();
            adjust(part, bytes - held);
            held = bytes;
        }

        /**
         * Acquires or releases memory so that it matches the history and its slow readers. For any
         * thread, since another writer may shorten the history. The monitor is taken after the lock
         * of a writer, and no lock is taken while it is held. {@link #endSlowReaders} comes next.
         */
        synchronized void logged(long bytes) {
            long kept = ended == null ? bytes : 0;
            adjust(history, kept - logged);
            logged = kept;
            count();
        }

        private synchronized void count() {
            long held = pins.held(ended == null ? writer.mirror().view() : ended);
            adjust(snapshots, held - pinned);
            pinned = held;
            if (held > 0) {
                holders.add(this);
            } else {
                holders.remove(this);
            }
        }

        private synchronized void removeOldest(Consumer<Runnable> aborts) {
            var _ = pins.removeOldest(aborts);
            count();
        }

        private void recount() {
            count();
            endSlowReaders();
        }

        /**
         * Returns the memory of a mirror that has been removed, except for the states that readers
         * still send: each is returned when its pin is closed. For the writer's thread; does
         * nothing the second time.
         */
        void end() {
            if (!writers.remove(writer)) {
                return;
            }
            stored(null);
            View last = writer.mirror().view();
            View empty = last.restarted(null, null, LogView.empty());
            synchronized (this) {
                ended = empty;
            }
            pins.onChange(new Recount(this::recount, this::count));
            logged(0);
            endSlowReaders();
            objects.remove(part);
        }

        private static void adjust(MemoryBudget budget, long bytes) {
            if (bytes > 0) {
                budget.acquire(bytes);
            } else {
                budget.release(-bytes);
            }
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
