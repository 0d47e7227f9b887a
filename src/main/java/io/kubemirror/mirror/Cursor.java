package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

/**
 * How far a reader has come: a subscription is nothing but this.
 *
 * <p>Revisions say where to read on. Positions, which count the changes in the log without holes,
 * prove that nothing was left out: what is read next has to have the position that is expected.
 *
 * @param revision everything up to here has been read
 * @param era the uninterrupted history that the revision belongs to; a reset of the mirror begins
 *     another
 * @param position the position of the next change, {@link #UNKNOWN} until one has been read
 */
public record Cursor(Revision revision, long era, long position) {

    /** The position of a reader that named only a revision and has not read anything yet. */
    public static final long UNKNOWN = -1;

    /** A cursor of a reader that named a revision. */
    Cursor(Revision revision, long era) {
        this(revision, era, UNKNOWN);
    }

    /** The later of two in the same history; of different histories, this one. */
    Cursor latest(Cursor other) {
        return other.era == era && other.revision.isAfter(revision) ? other : this;
    }

    /** Whether nothing lies between this cursor and a position that is read next. */
    boolean joins(long next) {
        return position == UNKNOWN || position == next;
    }
}
