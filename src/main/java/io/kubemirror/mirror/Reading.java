package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import java.util.List;

/** What a reader got. */
public sealed interface Reading {

    /**
     * The reader has come further, or its patience is over.
     *
     * @param changes what came after the cursor, oldest first, possibly nothing
     * @param next the cursor to read on with; everything up to its revision is in this or earlier
     *     readings
     */
    record Progress(List<LoggedChange> changes, Cursor next) implements Reading {}

    /**
     * The reader was too slow: changes after its cursor have been evicted (list-watch.md#fa-4).
     *
     * @param floor the smallest revision that a watch can start from now
     */
    record Expired(Revision floor) implements Reading {}

    /**
     * What would be read next does not join what was read before. The reader would have skipped
     * changes, or seen some again, because of a bug in kubemirror; it has to begin anew.
     *
     * @param expected the position that the reader has come to
     * @param found the position at which it would have read on
     */
    record Gap(long expected, long found) implements Reading {}

    /** The mirror has been replaced without a bridge, so the stream ends (list-watch.md#re-1). */
    record Ended() implements Reading {}
}
