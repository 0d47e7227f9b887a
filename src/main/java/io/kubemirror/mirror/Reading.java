package io.kubemirror.mirror;

import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import java.util.List;

/** The result of reading from a mirror. */
public sealed interface Reading {

    /**
     * The reader has advanced, or there was nothing to read.
     *
     * @param changes the changes after the cursor, oldest first, possibly none
     * @param next the cursor to continue with; everything up to its revision is in this or earlier
     *     readings
     */
    record Progress(List<LoggedChange> changes, Cursor next) implements Reading {

        /** The maximum number of changes, which bounds what a reader encodes at once. */
        static final int MAX_CHANGES = 512;

        /** Returns whether there may be more changes already. */
        public boolean isFull() {
            return changes.size() == MAX_CHANGES;
        }

        /**
         * Returns the number of changes that concern a selection, 0 if the reading is full, so that
         * there may be more of them already.
         */
        public long countWhole(Selection selection) {
            return isFull()
                    ? 0
                    : changes.stream().filter(logged -> selection.matches(logged.change())).count();
        }
    }

    /**
     * The reader was too slow: changes after its cursor have been evicted (list-watch.md#fa-4).
     *
     * @param floor the smallest revision that a watch can start from now
     */
    record Expired(Revision floor) implements Reading {}

    /**
     * The next change does not join the last one that was read. The reader would have skipped or
     * repeated changes, because of a bug in kubemirror, and must list again.
     *
     * @param expected the position after the last change that was read
     * @param found the position of the next change
     */
    record Gap(long expected, long found) implements Reading {}

    /**
     * The content of the mirror was replaced without a bridge, so the stream ends
     * (list-watch.md#re-1).
     */
    record Ended() implements Reading {}
}
