package io.kubemirror.mirror;

import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;

/**
 * An immutable state of the mirror, published in one write.
 *
 * @param era counts the resets of the history
 * @param type the resolved type, null until discovery has succeeded
 * @param snapshot the present state, null until the first complete synchronization
 * @param lost the revisions that may belong to a history which the server has lost
 * @param recent the recent changes
 * @param bytes the size of all stored objects
 * @param logBytes the number of bytes that only the recent changes keep reachable
 */
record View(
        long era,
        @Nullable ResourceType type,
        @Nullable Snapshot snapshot,
        LostHistory lost,
        LogView recent,
        long bytes,
        long logBytes) {

    /** Maximum number of changes per reading, which bounds what a reader encodes at once. */
    private static final int BATCH = 512;

    View with(ResourceType resolved) {
        return new View(era, resolved, snapshot, lost, recent, bytes, logBytes);
    }

    View with(LogView shorter, long shorterBytes) {
        return new View(era, type, snapshot, lost, shorter, bytes, shorterBytes);
    }

    Revision revision() {
        return snapshot == null ? Revision.ZERO : snapshot.revision();
    }

    /** Returns a cursor positioned after the last change in this view. */
    Cursor cursor() {
        return new Cursor(revision(), era, recent.next());
    }

    StartPosition start(Revision after) {
        return lost.includes(after, revision()) || after.isBefore(recent.floor())
                ? new StartPosition.TooOld(recent.floor())
                : new StartPosition.From(new Cursor(after, era));
    }

    /**
     * Returns the changes after a cursor, or empty if the writer has overwritten one of them and
     * the reader must take a newer view.
     */
    Optional<Reading> read(Cursor cursor) {
        if (cursor.era() != era) {
            return Optional.of(new Reading.Ended());
        }
        if (cursor.revision().isBefore(recent.reach())) {
            return Optional.of(new Reading.Expired(recent.floor()));
        }
        return recent.after(cursor.revision(), BATCH).map(changes -> join(cursor, changes));
    }

    /** Checks that positions join, as a safeguard against a bug in the signaling of readers. */
    private Reading join(Cursor cursor, List<LoggedChange> changes) {
        long found = changes.isEmpty() ? recent.next() : changes.getFirst().sequence();
        return cursor.joins(found)
                ? progress(cursor, changes, found + changes.size())
                : new Reading.Gap(cursor.position(), found);
    }

    private Reading progress(Cursor cursor, List<LoggedChange> changes, long position) {
        if (cursor.revision().isAfter(revision())) {
            // The cursor is in the future, so the changes up to it are not for this reader.
            return new Reading.Progress(changes, cursor);
        }
        Revision reached =
                changes.size() == BATCH ? changes.getLast().change().revision() : revision();
        return new Reading.Progress(changes, new Cursor(reached, era, position));
    }

    /** Returns whether there is a change after a cursor, without reading it. */
    boolean isBeyond(Cursor cursor) {
        return cursor.era() != era || revision().isAfter(cursor.revision());
    }

    /** Returns whether the state as of a revision is available (list-watch.md#li-22, #li-23). */
    boolean reaches(Revision exact) {
        return snapshot != null && !exact.isAfter(revision()) && recent.reaches(exact);
    }

    /**
     * Returns the collection as of a revision that this view reaches, or empty if the writer has
     * overwritten it and the reader must take a newer view.
     */
    Optional<Snapshot> at(Revision exact) {
        return exact.equals(revision()) ? Optional.ofNullable(snapshot) : recent.at(exact);
    }
}
