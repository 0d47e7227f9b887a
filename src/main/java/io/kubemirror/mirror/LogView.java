package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A reader's view of the event log as it was at one publication.
 *
 * <p>The ring is shared with the writer, which may overwrite the oldest slots while a reader looks.
 * Every change knows its own sequence number, so a reader notices that it was lapped, as in
 * Agrona's broadcast receiver, and takes the newest view instead; no lock is needed.
 *
 * @param ring the shared slots
 * @param first the sequence number of the oldest change
 * @param next the sequence number after the newest change
 * @param floor the smallest revision that a watch may start from (list-watch.md#conventions)
 * @param reach a reader that has come this far has missed nothing
 * @param base the state before the oldest change, the earliest that can still be told
 */
record LogView(
        @SuppressWarnings("ArrayRecordComponent") @Nullable LoggedChange[] ring,
        long first,
        long next,
        Revision floor,
        Revision reach,
        Snapshot base) {

    /**
     * The changes after a revision, oldest first.
     *
     * @param limit how many at most
     * @return the changes, or empty if the writer has overwritten one of them meanwhile
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

    /** The time between the oldest and the newest change, nothing if either is overwritten. */
    Duration span() {
        LoggedChange oldest = first < next ? at(first) : null;
        LoggedChange newest = first < next ? at(next - 1) : null;
        return oldest == null || newest == null
                ? Duration.ZERO
                : Duration.ofNanos(newest.nanos() - oldest.nanos());
    }

    /**
     * What a reader at a revision has not come to yet; of what the writer has overwritten
     * meanwhile, the rest.
     *
     * @param nanos the time now, on the writer's clock
     */
    Backlog backlog(Revision reached, long nanos) {
        long start = firstAfter(reached);
        LoggedChange waiting = start < next ? at(start) : null;
        return new Backlog(next - start, waiting == null ? Duration.ZERO : waiting.age(nanos));
    }

    /** Whether the state as of a revision, not later than the present, can be told. */
    boolean reaches(Revision exact) {
        return !exact.isBefore(base.revision());
    }

    /**
     * The collection as of a revision, not older than the base (list-watch.md#li-22).
     *
     * @return the state, or empty if the writer has overwritten it meanwhile
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
     * The sequence number of the first change after a revision, {@code next} if there is none.
     * Looked for from the end, where most readers are, in steps that double.
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

    /** What has been overwritten was older than everything that is still there. */
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
