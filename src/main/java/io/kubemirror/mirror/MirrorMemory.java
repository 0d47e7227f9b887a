package io.kubemirror.mirror;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Scope;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The memory that all mirrors of a process share: their objects and their history.
 *
 * <p>Objects cannot be evicted, history can: watches that need evicted history get a 410 and list
 * again. History uses at most three quarters of the memory and is evicted where objects need more.
 * Only a sixteenth is reserved for history, without which no watch could follow. The mirror with
 * the most history is evicted first, so that a busy mirror cannot take the history of the others.
 *
 * <p>A mirror that has more than its share of the memory leaves a sixteenth of it to the others, so
 * that they can still grow when it cannot.
 *
 * <p>Safe for use by any thread.
 */
public final class MirrorMemory {

    private static final int RESERVED_PART = 16;

    private final MemoryBudget all;
    private final MemoryBudget objects;
    private final MemoryBudget history;
    private final long reserved;

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
    }

    /** Creates a memory that is never exhausted. */
    public static MirrorMemory unlimited() {
        return new MirrorMemory(MemoryBudget.unlimited());
    }

    /** Creates the part for the objects of one mirror, with its own limit in bytes. */
    MemoryBudget objects(Scope scope, long limit) {
        return objects.part(scope.toString(), limit);
    }

    /** Registers a writer whose history counts from now on. */
    void join(MirrorWriter writer) {
        writers.add(writer);
    }

    /**
     * Acquires memory for objects and evicts history if necessary. The caller must not hold the
     * lock of any writer.
     *
     * @param part the part of the mirror
     * @param bytes not negative
     * @return whether the bytes were acquired
     */
    boolean tryAcquire(MemoryBudget part, long bytes) {
        if (leavesRoom(part, bytes) && part.tryAcquire(bytes)) {
            return true;
        }
        if (bytes > part.limit() - part.used()) {
            return false;
        }
        shorten(bytes);
        return leavesRoom(part, bytes) && part.tryAcquire(bytes);
    }

    private boolean leavesRoom(MemoryBudget part, long bytes) {
        long share = objects.limit() / Math.max(1, writers.size());
        long free = objects.limit() - objects.used() - bytes;
        return writers.size() == 1 || part.used() + bytes <= share || free >= reserved;
    }

    /** Returns the limit of all objects together, in bytes. */
    long limitOfObjects() {
        return objects.limit();
    }

    /** Records that the history of a mirror has grown, or shrunk if negative. */
    void historyGrew(long bytes) {
        if (bytes > 0) {
            history.acquire(bytes);
        } else {
            history.release(-bytes);
        }
    }

    /** Evicts history beyond its limit. The caller must not hold the lock of any writer. */
    void shorten() {
        shorten(0);
    }

    private void shorten(long needed) {
        long excess = excess(needed);
        while (excess > 0) {
            Optional<MirrorWriter> longest =
                    writers.stream().max(Comparator.comparingLong(MirrorWriter::historyBytes));
            if (longest.isEmpty() || longest.get().historyBytes() == 0) {
                return;
            }
            longest.get().shorten(excess);
            excess = excess(needed);
        }
    }

    private long excess(long needed) {
        long others = all.used() - history.used() + needed;
        long allowed = Math.max(reserved, all.limit() / 4 * 3 - others);
        long crowded = Math.min(history.used() - reserved, all.used() + needed - all.limit());
        return Math.max(history.used() - allowed, crowded);
    }
}
