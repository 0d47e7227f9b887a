package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

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
 * @param floor the smallest revision that a watch may start from (spec 0.2, oRV)
 * @param base the state before the oldest change: a reader that has come this far has missed
 *     nothing
 */
record Recent(
        @SuppressWarnings("ArrayRecordComponent") @Nullable LoggedChange[] ring,
        long first,
        long next,
        Revision floor,
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

    /**
     * The collection as of a revision, or empty if the window does not reach back that far, perhaps
     * since a moment ago (LI-22).
     */
    Optional<Snapshot> at(Revision exact) {
        if (exact.isBefore(base.revision())) {
            return Optional.empty();
        }
        long after = firstAfter(exact);
        if (after == first) {
            return Optional.of(base.at(exact));
        }
        LoggedChange last = at(after - 1);
        return last == null ? Optional.empty() : Optional.of(last.after().at(exact));
    }

    /** The sequence number of the first change after a revision, {@code next} if there is none. */
    private long firstAfter(Revision revision) {
        long low = first;
        long high = next;
        while (low < high) {
            long middle = (low + high) >>> 1;
            LoggedChange logged = at(middle);
            // What has been overwritten was older than everything that is still there.
            if (logged != null && logged.change().revision().isAfter(revision)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private @Nullable LoggedChange at(long sequence) {
        LoggedChange logged = ring[EventLog.slot(sequence, ring.length)];
        return logged != null && logged.sequence() == sequence ? logged : null;
    }
}
