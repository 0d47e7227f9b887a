package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

/**
 * Revisions that the server had assigned before it was restored from a backup
 * (list-watch.md#re-12).
 *
 * <p>Until the mirror reaches them again, a client that sends one of them refers to the lost
 * history. It gets an error and lists again; if the revision were treated as a future one, its
 * watch would hang. Afterwards the two histories cannot be told apart, and an error would reach
 * clients that have just listed. The API server has the same gap.
 *
 * @param upTo the last revision before the server was restored, 0 if it never was
 */
record LostHistory(Revision upTo) {

    /** No history was lost. */
    static final LostHistory NONE = new LostHistory(Revision.ZERO);

    boolean includes(Revision revision, Revision present) {
        return revision.isAfter(present) && !revision.isAfter(upTo);
    }

    /**
     * Returns the lost history after the mirror moved from one revision to another, if that is a
     * step back.
     */
    LostHistory moved(Revision from, Revision to) {
        return to.isBefore(from) ? new LostHistory(Revision.later(from, upTo)) : this;
    }
}
