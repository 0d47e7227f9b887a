package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

/**
 * The position of a reader in the history of a mirror.
 *
 * <p>Revisions say where to read on. Positions count the changes in the log without gaps and prove
 * that nothing was left out: the next change must have the expected position.
 *
 * @param revision the revision up to which everything has been read
 * @param era the uninterrupted history that the revision belongs to; a reset of the mirror begins
 *     another
 * @param position the position of the next change, {@link #UNKNOWN} until one has been read
 */
public record Cursor(Revision revision, long era, long position) {

    /** The position of a reader that named only a revision and has not read any change. */
    public static final long UNKNOWN = -1;

    /** Creates the cursor of a reader that named a revision. */
    public Cursor(Revision revision, long era) {
        this(revision, era, UNKNOWN);
    }

    /** Returns the later of two cursors in the same history; for different histories, this one. */
    public Cursor latest(Cursor other) {
        return other.era == era && other.revision.follows(revision) ? other : this;
    }

    /** Returns whether no change lies between this cursor and the position that is read next. */
    boolean joins(long next) {
        return position == UNKNOWN || position == next;
    }
}
