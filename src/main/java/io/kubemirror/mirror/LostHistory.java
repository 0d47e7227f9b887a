package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

/**
 * Revisions that the server has given out twice, because it was restored from a backup (RE-12).
 *
 * <p>A client that comes with one of them may mean the history that was lost, and would then see the new one in place of it without noticing.
 * So it is told to list again; that costs a client of the new history a list, and harms nobody.
 *
 * @param after the revision that the server went back to
 * @param upTo the last revision before it went back
 */
record LostHistory(Revision after, Revision upTo) {

    /** The server has never gone back. */
    static final LostHistory NONE = new LostHistory(Revision.ZERO, Revision.ZERO);

    boolean includes(Revision revision) {
        return revision.isAfter(after) && !revision.isAfter(upTo);
    }

    /** The same after the mirror went from one revision to another, if that is a step back. */
    LostHistory moved(Revision from, Revision to) {
        return to.isBefore(from) ? new LostHistory(to, Revision.later(from, upTo)) : this;
    }
}
