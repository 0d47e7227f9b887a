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
 * The recent changes of a collection. Its capacity grows while its oldest change is younger than
 * the window and shrinks when three quarters of its changes are older (list-watch.md#hi-1 to
 * #hi-8).
 *
 * <p>Only the writer of the mirror uses it, under the writer's lock. Readers get a {@link LogView}.
 * Only new changes evict changes, so that clients of a quiet collection can resume from a long time
 * ago (list-watch.md#hi-5), unless another mirror needs the shared memory ({@link #shorten}).
 */
public final class EventLog {

    /** The number of changes in a chunk, which is copied when one of them is evicted. */
    private static final int CHUNK = 256;

    private final Window window;
    private final WindowCounts counts = new WindowCounts();

    /** The changes. Views share them, so a slot that a view has is never written. */
    private @Nullable LoggedChange[][] chunks = new @Nullable LoggedChange[0][];

    private int capacity;
    private long first;
    private long next;
    private long bytes;
    private Coverage coverage = Coverage.from(Revision.ZERO);
    private Snapshot base = Snapshot.empty(Revision.ZERO);

    EventLog(Window window) {
        this.window = window;
        this.capacity = window.minimum();
    }

    /** Discards all changes. The history now begins with the given state (list-watch.md#hi-6). */
    void reset(Snapshot start) {
        counts.add(WindowEvent.EVICTED_RESET, size());
        chunks = new @Nullable LoggedChange[0][];
        capacity = window.minimum();
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
        evict(window.bytes(), WindowEvent.EVICTED_BYTES);
        int chunk = (int) (next / CHUNK - first / CHUNK);
        if (chunk == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunk + 1);
            chunks[chunk] = new @Nullable LoggedChange[CHUNK];
        }
        // The next view is the first that has this slot.
        chunks[chunk][(int) (next % CHUNK)] = logged;
        next++;
    }

    /** Evicts the oldest changes until so many bytes are free or the log is empty. */
    void shorten(long excess) {
        evict(bytes - excess, WindowEvent.EVICTED_MEMORY);
    }

    /** Returns a view of the log for readers. */
    LogView recent() {
        return new LogView(chunks, first, next, capacity, coverage, base, bytes, counts);
    }

    /** Returns the number of changes in the log. */
    int size() {
        return (int) (next - first);
    }

    /** Returns the number of bytes that only the log keeps reachable. */
    long bytes() {
        return bytes;
    }

    private void evict(long allowed, WindowEvent cause) {
        while (bytes > allowed && first < next) {
            evictOldest(cause);
        }
    }

    private void fit(long now) {
        if (size() < capacity) {
            return;
        }
        boolean oldestIsYoung = now - at(first).nanos() < window.span().toNanos();
        if (oldestIsYoung && capacity < window.maximum()) {
            resize((int) Math.min(2L * capacity, window.maximum()));
            return;
        }
        int quarter = capacity / 4;
        boolean mostAreOld =
                now - at(next - Math.max(quarter, 1)).nanos() > window.span().toNanos();
        int half = Math.max(capacity / 2, window.minimum());
        if (mostAreOld && half < capacity) {
            while (size() > half) {
                evictOldest(WindowEvent.EVICTED_AGE);
            }
            resize(half);
        }
        if (size() == capacity) {
            evictOldest(oldestIsYoung ? WindowEvent.EVICTED_CAPACITY : WindowEvent.EVICTED_AGE);
        }
    }

    private void resize(int other) {
        counts.add(other > capacity ? WindowEvent.GROWN : WindowEvent.SHRUNK, 1);
        capacity = other;
    }

    private void evictOldest(WindowEvent cause) {
        counts.add(cause, 1);
        LoggedChange oldest = at(first);
        int slot = (int) (first % CHUNK);
        boolean isLast = slot == CHUNK - 1;
        chunks = isLast ? Arrays.copyOfRange(chunks, 1, chunks.length) : chunks.clone();
        if (!isLast) {
            chunks[0] = chunks[0].clone();
            chunks[0][slot] = null;
        }
        bytes -= oldest.cost();
        base = oldest.after();
        first++;
        Revision reach = base.revision();
        Revision floor = first < next ? at(first).change().revision().previous() : reach;
        coverage = coverage.evicted(reach.follows(floor) ? reach : floor, reach);
    }

    private LoggedChange at(long sequence) {
        return at(chunks, first, sequence);
    }

    private static LoggedChange at(@Nullable LoggedChange[][] chunks, long first, long sequence) {
        int chunk = (int) (sequence / CHUNK - first / CHUNK);
        return Objects.requireNonNull(chunks[chunk][(int) (sequence % CHUNK)]);
    }

    /**
     * A reader's view of the event log as of one publication.
     *
     * <p>Rejected: a ring that the writer overwrites, as in Agrona's broadcast receiver. Readers
     * that are lapped would have to begin again with a newer view.
     *
     * @param chunks the changes; only those from the oldest to the newest are of this view
     * @param first the sequence number of the oldest change
     * @param next the sequence number after the newest change
     * @param capacity the number of changes that the log has room for
     * @param coverage where readers may continue
     * @param base the state before the oldest change, the earliest that is available
     * @param bytes the number of bytes that only the log keeps reachable
     * @param counts what has happened to the log; changes later, too
     */
    public record LogView(
            @SuppressWarnings("ArrayRecordComponent") @Nullable LoggedChange[][] chunks,
            long first,
            long next,
            int capacity,
            Coverage coverage,
            Snapshot base,
            long bytes,
            WindowCounts counts) {

        /** Returns the view of a log without changes. */
        static LogView empty() {
            return new EventLog(new Window(1, 1, Duration.ZERO, 1)).recent();
        }

        /** Returns the number of changes. */
        public long changes() {
            return next - first;
        }

        /** Returns so many changes after a revision, oldest first. */
        List<LoggedChange> after(Revision revision, int limit) {
            long start = firstAfter(revision);
            int count = (int) Math.min(limit, next - start);
            List<LoggedChange> changes = new ArrayList<>(count);
            for (long sequence = start; sequence < start + count; sequence++) {
                changes.add(at(sequence));
            }
            return changes;
        }

        /** Returns the time between the oldest and the newest change, zero if there is none. */
        public Duration span() {
            return first == next
                    ? Duration.ZERO
                    : Duration.ofNanos(at(next - 1).nanos() - at(first).nanos());
        }

        /**
         * Returns the changes that a reader at a revision has not read yet.
         *
         * @param nanos the time now, on the writer's clock
         */
        Backlog backlog(Revision reached, long nanos) {
            long start = firstAfter(reached);
            long age = start == next ? 0 : Math.max(0, nanos - at(start).nanos());
            return new Backlog(next - start, Duration.ofNanos(age));
        }

        /** Returns whether the state as of a revision, not later than the present, is available. */
        boolean reaches(Revision exact) {
            return !base.revision().follows(exact);
        }

        /**
         * Returns the collection as of a revision, not older than the base (list-watch.md#li-22).
         */
        Snapshot at(Revision exact) {
            long after = firstAfter(exact);
            return (after == first ? base : at(after - 1).after()).at(exact);
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
                if (at(probe).change().revision().follows(revision)) {
                    high = probe;
                    step *= 2;
                } else {
                    low = probe + 1;
                    step = 0;
                }
            }
            return low;
        }

        private LoggedChange at(long sequence) {
            return EventLog.at(chunks, first, sequence);
        }
    }
}
