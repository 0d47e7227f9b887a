package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.Coverage.UnknownStates;
import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.Window.WindowCounts;
import io.kubemirror.mirror.Window.WindowCounts.WindowEvent;
import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

/**
 * The recent changes of a collection. A ring buffer that grows while its oldest change is younger
 * than the window and shrinks when three quarters of its changes are older (list-watch.md#hi-1 to
 * #hi-8).
 *
 * <p>Only the writer of the mirror uses it, under the writer's lock. Readers get a {@link LogView}.
 * Only new changes evict changes, so that clients of a quiet collection can resume from a long time
 * ago (list-watch.md#hi-5), unless another mirror needs the shared memory ({@link #shorten}).
 */
public final class EventLog {

    /**
     * Access to the slots of a ring that readers share. Readers use acquire mode, and all objects
     * in slots have final fields. A reader that looks at a slot twice therefore never sees an
     * overwritten value after its replacement, which plain reads permit.
     */
    static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(LoggedChange[].class);

    private final Window window;
    private final WindowCounts counts = new WindowCounts();

    private @Nullable LoggedChange[] ring;
    private long first;
    private long next;
    private long bytes;
    private Coverage coverage = Coverage.from(Revision.ZERO);
    private Snapshot base;

    EventLog(Window window) {
        this.window = window;
        this.ring = new @Nullable LoggedChange[window.minimum()];
        this.base = Snapshot.empty(Revision.ZERO);
    }

    /** Discards all changes. The history now begins with the given state (list-watch.md#hi-6). */
    void reset(Snapshot start) {
        counts.add(WindowEvent.EVICTED_RESET, size());
        ring = new @Nullable LoggedChange[window.minimum()];
        first = next;
        bytes = 0;
        coverage = Coverage.from(start.revision());
        base = start;
    }

    /** Records that some states were missed (list-watch.md#re-5). */
    void skip(UnknownStates states) {
        coverage = coverage.without(states);
    }

    /** Appends a change, whose revision must follow that of every change before it. */
    void append(Change change, Snapshot after, long nanos) {
        fit(nanos);
        LoggedChange logged = new LoggedChange(next, change, after, nanos);
        bytes += logged.cost();
        fitBytes();
        SLOTS.setRelease(ring, slot(next, ring.length), logged);
        next++;
    }

    /** Evicts the oldest changes until so many bytes are free or the log is empty. */
    void shorten(long excess) {
        long before = bytes;
        while (before - bytes < excess && first < next) {
            evictOldest(WindowEvent.EVICTED_MEMORY);
        }
    }

    /** Returns a view of the log for readers. */
    LogView recent() {
        return new LogView(ring, first, next, coverage, base, bytes, counts);
    }

    /** Returns the number of changes in the log. */
    int size() {
        return (int) (next - first);
    }

    /** Returns the number of bytes that only the log keeps reachable. */
    long bytes() {
        return bytes;
    }

    private void fitBytes() {
        while (bytes > window.bytes() && first < next) {
            evictOldest(WindowEvent.EVICTED_BYTES);
        }
    }

    private void fit(long now) {
        if (size() < ring.length) {
            return;
        }
        boolean oldestIsYoung = now - at(first).nanos() < window.span().toNanos();
        if (oldestIsYoung && ring.length < window.maximum()) {
            resize((int) Math.min(2L * ring.length, window.maximum()));
            return;
        }
        int quarter = ring.length / 4;
        boolean mostAreOld =
                now - at(next - Math.max(quarter, 1)).nanos() > window.span().toNanos();
        int half = Math.max(ring.length / 2, window.minimum());
        if (mostAreOld && half < ring.length) {
            while (size() > half) {
                evictOldest(WindowEvent.EVICTED_AGE);
            }
            resize(half);
        }
        if (size() == ring.length) {
            evictOldest(oldestIsYoung ? WindowEvent.EVICTED_CAPACITY : WindowEvent.EVICTED_AGE);
        }
    }

    private void resize(int capacity) {
        @Nullable LoggedChange[] larger = new @Nullable LoggedChange[capacity];
        for (long sequence = first; sequence < next; sequence++) {
            larger[slot(sequence, capacity)] = at(sequence);
        }
        counts.add(capacity > ring.length ? WindowEvent.GROWN : WindowEvent.SHRUNK, 1);
        ring = larger;
    }

    private void evictOldest(WindowEvent cause) {
        counts.add(cause, 1);
        LoggedChange oldest = at(first);
        SLOTS.setRelease(ring, slot(first, ring.length), null);
        bytes -= oldest.cost();
        base = oldest.after();
        first++;
        Revision reach = base.revision();
        Revision floor = first < next ? at(first).change().revision().previous() : reach;
        coverage = coverage.evicted(reach.follows(floor) ? reach : floor, reach);
    }

    private LoggedChange at(long sequence) {
        LoggedChange logged = ring[slot(sequence, ring.length)];
        if (logged == null) {
            throw new IllegalStateException("the log does not contain change " + sequence);
        }
        return logged;
    }

    static int slot(long sequence, int capacity) {
        return (int) (sequence % capacity);
    }

    /**
     * A reader's view of the event log as of one publication.
     *
     * <p>The ring is shared with the writer, which may overwrite the oldest slots while a reader
     * looks. Every change knows its own sequence number, so a reader notices that it was lapped, as
     * in Agrona's broadcast receiver, and takes the newest view instead. No lock is needed.
     *
     * @param ring the shared slots
     * @param first the sequence number of the oldest change
     * @param next the sequence number after the newest change
     * @param coverage where readers may continue
     * @param base the state before the oldest change, the earliest that is available
     * @param bytes the number of bytes that only the log keeps reachable
     * @param counts what has happened to the log; changes later, too
     */
    public record LogView(
            @SuppressWarnings("ArrayRecordComponent") @Nullable LoggedChange[] ring,
            long first,
            long next,
            Coverage coverage,
            Snapshot base,
            long bytes,
            WindowCounts counts) {

        /** Returns the view of a log without changes. */
        static LogView empty() {
            Snapshot start = Snapshot.empty(Revision.ZERO);
            Coverage none = Coverage.from(Revision.ZERO);
            return new LogView(new LoggedChange[1], 0, 0, none, start, 0, new WindowCounts());
        }

        /** Returns the number of changes. */
        public long changes() {
            return next - first;
        }

        /** Returns the number of changes that the log has room for. */
        public int capacity() {
            return ring.length;
        }

        /**
         * Returns so many changes after a revision, oldest first; empty if the writer has
         * overwritten one of them.
         */
        Optional<List<LoggedChange>> after(Revision revision, int limit) {
            long start = firstAfter(revision);
            if (start > first && at(start - 1) == null) {
                return Optional.empty();
            }
            int count = (int) Math.min(limit, next - start);
            List<LoggedChange> changes = new ArrayList<>(count);
            for (long sequence = start; sequence < start + count; sequence++) {
                LoggedChange logged = at(sequence);
                if (logged == null) {
                    return Optional.empty();
                }
                changes.add(logged);
            }
            return Optional.of(changes);
        }

        /** Returns the time between the oldest and the newest change, zero if overwritten. */
        public Duration span() {
            LoggedChange oldest = first < next ? at(first) : null;
            LoggedChange newest = first < next ? at(next - 1) : null;
            return oldest == null || newest == null
                    ? Duration.ZERO
                    : Duration.ofNanos(newest.nanos() - oldest.nanos());
        }

        /**
         * Returns the changes that a reader at a revision has not read yet, without those that the
         * writer has overwritten.
         *
         * @param nanos the time now, on the writer's clock
         */
        Backlog backlog(Revision reached, long nanos) {
            long start = firstAfter(reached);
            LoggedChange waiting = start < next ? at(start) : null;
            long age = waiting == null ? 0 : Math.max(0, nanos - waiting.nanos());
            return new Backlog(next - start, Duration.ofNanos(age));
        }

        /** Returns whether the state as of a revision, not later than the present, is available. */
        boolean reaches(Revision exact) {
            return !base.revision().follows(exact);
        }

        /**
         * Returns the collection as of a revision, not older than the base (list-watch.md#li-22).
         *
         * @return the state, or empty if the writer has overwritten it
         */
        Optional<Snapshot> at(Revision exact) {
            long after = firstAfter(exact);
            if (after == first) {
                return Optional.of(base.at(exact));
            }
            LoggedChange last = at(after - 1);
            return last == null ? Optional.empty() : Optional.of(last.after().at(exact));
        }

        /**
         * Returns the sequence number of the first change after a revision, {@code next} if there
         * is none. Searches from the end, where most readers are, in steps that double.
         */
        private long firstAfter(Revision revision) {
            long low = first;
            long high = next;
            long step = 1;
            while (low < high) {
                long probe = step > 0 ? Math.max(low, high - step) : (low + high) >>> 1;
                if (isAfter(probe, revision)) {
                    high = probe;
                    step *= 2;
                } else {
                    low = probe + 1;
                    step = 0;
                }
            }
            return low;
        }

        /** Overwritten changes are older than all that remain. */
        private boolean isAfter(long sequence, Revision revision) {
            LoggedChange logged = at(sequence);
            return logged != null && logged.change().revision().follows(revision);
        }

        private @Nullable LoggedChange at(long sequence) {
            LoggedChange logged =
                    (LoggedChange)
                            EventLog.SLOTS.getAcquire(ring, EventLog.slot(sequence, ring.length));
            return logged != null && logged.sequence() == sequence ? logged : null;
        }
    }
}
