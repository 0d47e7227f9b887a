package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.mirror.EventLog.LogView;
import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.SelectableFields.DeclaredFields;

import org.jspecify.annotations.Nullable;

/**
 * An immutable state of the mirror, published in one write.
 *
 * @param era counts the resets of the history, from a number that no other mirror has
 * @param type the resolved type, null until discovery has succeeded
 * @param declared the fields that the definition of the type declares
 * @param snapshot the present state, null until the first complete synchronization
 * @param lost the last revision from which the mirror went back, because the server was restored
 *     from a backup (list-watch.md#re-12) or the content was dropped; 0 if it never did
 * @param recent the recent changes
 * @param contact when the server showed the state, {@link Instant#EPOCH} if that is not known
 */
public record View(
        long era,
        @Nullable ResourceType type,
        DeclaredFields declared,
        @Nullable Snapshot snapshot,
        Revision lost,
        LogView recent,
        Instant contact) {

    View with(ResourceType resolved, DeclaredFields fields) {
        return new View(era, resolved, fields, snapshot, lost, recent, contact);
    }

    View with(LogView changed) {
        return new View(era, type, declared, snapshot, lost, changed, contact);
    }

    /** Returns the view of a state that the server showed at a time. */
    View shown(Instant at) {
        return new View(era, type, declared, snapshot, lost, recent, at);
    }

    /** Returns the view after the history has continued to a state. */
    View moved(Snapshot state, LogView changed) {
        return new View(era, type, declared, state, lostUntil(state.revision()), changed, contact);
    }

    /** Returns the view after the history has started over. */
    View restarted(@Nullable ResourceType of, @Nullable Snapshot state, LogView changed) {
        Revision start = state == null ? Revision.ZERO : state.revision();
        return new View(era + 1, of, declared, state, lostUntil(start), changed, contact);
    }

    /** Returns the lost revisions after a move to another revision, which may be a step back. */
    private Revision lostUntil(Revision to) {
        return to.isBefore(revision()) ? Revision.later(revision(), lost) : lost;
    }

    /**
     * Returns whether a revision refers to a history that the server has lost. Its client gets an
     * error and lists again; if the revision were treated as a future one, its watch would hang.
     * Once the mirror has reached the revision again, the two histories cannot be distinguished,
     * and an error would reach clients that have just listed. The API server has the same gap.
     */
    private boolean isLost(Revision revision) {
        return revision.isAfter(revision()) && !revision.isAfter(lost);
    }

    long bytes() {
        return snapshot == null ? 0 : snapshot.bytes();
    }

    /** Returns the revision of the present state, 0 until the first synchronization is complete. */
    public Revision revision() {
        return snapshot == null ? Revision.ZERO : snapshot.revision();
    }

    /** Returns the view of the oldest state that is available, without history. */
    public View oldest() {
        return new View(era, type, declared, recent.base(), lost, LogView.empty(), contact);
    }

    /** Returns the last part of a revision that a reader names. */
    public Revision whole(Revision named) {
        return named.equals(revision()) ? revision() : named.whole();
    }

    boolean hasReached(Revision revision) {
        return snapshot != null && !revision().isBefore(revision);
    }

    /** Returns a cursor positioned after the last change in this view. */
    public Cursor cursor() {
        return new Cursor(revision(), era, recent.next());
    }

    StartPosition start(Revision after) {
        Coverage coverage = recent.coverage();
        Optional<Revision> floor =
                isLost(after) ? Optional.of(coverage.floor()) : coverage.refuseStart(after);
        return floor.<StartPosition>map(StartPosition.TooOld::new)
                .orElseGet(() -> new StartPosition.From(new Cursor(after, era)));
    }

    /** Returns the changes after a cursor. */
    Reading read(Cursor cursor) {
        if (cursor.era() != era) {
            return new Reading.Ended();
        }
        Optional<Revision> floor = recent.coverage().refuse(cursor);
        return floor.isPresent()
                ? new Reading.Expired(floor.get())
                : join(cursor, recent.after(cursor.revision(), Reading.Progress.MAX_CHANGES));
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
        boolean full = changes.size() == Reading.Progress.MAX_CHANGES;
        Revision reached = full ? changes.getLast().change().revision() : revision();
        return new Reading.Progress(changes, new Cursor(reached, era, position));
    }

    /** Returns whether there is a change after a cursor, without reading it. */
    boolean isBeyond(Cursor cursor) {
        return cursor.era() != era || revision().follows(cursor.revision());
    }

    /**
     * Returns the collection as of a revision; empty if the revision is before the window or after
     * the present state. Within a bridge, only a reader of the bridge knows it: it may never have
     * been.
     */
    public Optional<Snapshot> at(Revision exact) {
        if (exact.isAfter(revision()) || !recent.reaches(exact)) {
            return Optional.empty();
        }
        return revision().follows(exact)
                ? Optional.of(recent.at(exact))
                : Optional.ofNullable(snapshot);
    }
}
