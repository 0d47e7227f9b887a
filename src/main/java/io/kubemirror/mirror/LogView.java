package io.kubemirror.mirror;

import io.kubemirror.mirror.Mirror.Backlog;
import io.kubemirror.mirror.Window.WindowCounts;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A reader's view of the event log as of one publication.
 *
 * <p>The ring is shared with the writer, which may overwrite the oldest slots while a reader looks.
 * Every change knows its own sequence number, so a reader notices that it was lapped, as in
 * Agrona's broadcast receiver, and takes the newest view instead. No lock is needed.
 *
 * @param ring the shared slots
 * @param first the sequence number of the oldest change
 * @param next the sequence number after the newest change
 * @param coverage where readers may continue
 * @param base the state before the oldest change, the earliest that is available
 * @param bytes the number of bytes that only the log keeps reachable
 * @param counts what has happened to the log; changes later, too
 */
record LogView(
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

    /** Returns the number of changes that the log has room for. */
    int capacity() {
        return ring.length;
    }

    /** Returns the revision of the newest change or the base; empty if it is overwritten. */
    Optional<Revision> newest() {
        if (first == next) {
            return Optional.of(base.revision());
        }
        return Optional.ofNullable(at(next - 1)).map(logged -> logged.change().revision());
    }

    /**
     * Returns so many changes after a revision, oldest first; empty if the writer has overwritten
     * one of them.
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
    Duration span() {
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
        return !exact.isBefore(base.revision());
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
     * Returns the sequence number of the first change after a revision, {@code next} if there is
     * none. Searches from the end, where most readers are, in steps that double.
     */
    private long firstAfter(Revision revision) {
        long high = next;
        long step = 1;
        while (high > first && isAfter(Math.max(first, high - step), revision)) {
            high = Math.max(first, high - step);
            step *= 2;
        }
        return firstAfter(revision, Math.max(first, high - step), high);
    }

    private long firstAfter(Revision revision, long from, long to) {
        long low = from;
        long high = to;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (isAfter(middle, revision)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Overwritten changes are older than all that remain. */
    private boolean isAfter(long sequence, Revision revision) {
        LoggedChange logged = at(sequence);
        return logged != null && logged.change().revision().isAfter(revision);
    }

    private @Nullable LoggedChange at(long sequence) {
        LoggedChange logged =
                (LoggedChange)
                        EventLog.SLOTS.getAcquire(ring, EventLog.slot(sequence, ring.length));
        return logged != null && logged.sequence() == sequence ? logged : null;
    }
}
