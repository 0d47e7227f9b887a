package io.kubemirror.mirror;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;

/**
 * Everything that a reader may know, published at once.
 *
 * @param era counts the resets of the history
 * @param type the resolved type, null until discovery has answered
 * @param snapshot the present state, null until the first complete synchronisation
 * @param lost the revisions that may belong to a history which the server has lost
 * @param recent the past
 * @param bytes the size of all stored objects
 * @param logBytes what the past keeps alive
 */
record View(
        long era,
        @Nullable ResourceType type,
        @Nullable Snapshot snapshot,
        LostHistory lost,
        LogView recent,
        long bytes,
        long logBytes) {

    /** How many changes a reader gets at once, so that what it makes of them stays small. */
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

    /** Behind everything that this view shows. */
    Cursor cursor() {
        return new Cursor(revision(), era, recent.next());
    }

    StartPosition start(Revision after) {
        return lost.includes(after, revision()) || after.isBefore(recent.floor())
                ? new StartPosition.TooOld(recent.floor())
                : new StartPosition.From(new Cursor(after, era));
    }

    /**
     * What comes after a cursor, or empty if the writer was faster and a newer view has to be
     * asked.
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

    /** The last line of defense against a bug in how readers are woken: positions have to join. */
    private Reading join(Cursor cursor, List<LoggedChange> changes) {
        long found = changes.isEmpty() ? recent.next() : changes.getFirst().sequence();
        return cursor.joins(found)
                ? progress(cursor, changes, found + changes.size())
                : new Reading.Gap(cursor.position(), found);
    }

    private Reading progress(Cursor cursor, List<LoggedChange> changes, long position) {
        if (cursor.revision().isAfter(revision())) {
            // It waits for a revision of the future, so changes until then are not for it.
            return new Reading.Progress(changes, cursor);
        }
        Revision reached =
                changes.size() == BATCH ? changes.getLast().change().revision() : revision();
        return new Reading.Progress(changes, new Cursor(reached, era, position));
    }

    /** Whether there is anything new for a cursor: the same as reading it, but for the reading. */
    boolean isBeyond(Cursor cursor) {
        return cursor.era() != era || revision().isAfter(cursor.revision());
    }

    /** Whether the state as of a revision can be told (list-watch.md#li-22, #li-23). */
    boolean reaches(Revision exact) {
        return snapshot != null && !exact.isAfter(revision()) && recent.reaches(exact);
    }

    /**
     * The collection as of a revision that this view reaches, or empty if the writer was faster and
     * a newer view has to be asked.
     */
    Optional<Snapshot> at(Revision exact) {
        return exact.equals(revision()) ? Optional.ofNullable(snapshot) : recent.at(exact);
    }
}
