package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

/**
 * Revisions that the server had given out before it went back, because it was restored from a
 * backup (list-watch.md#re-12).
 *
 * <p>While the mirror has not reached them again, a client that comes with one of them means the
 * lost history. It is told to list again; taken for one from the future, it would hang. Afterwards
 * nobody can tell, and refusing it still would refuse clients who have just listed: the API server
 * itself has this gap.
 *
 * @param upTo the last revision before the server went back, 0 if it never did
 */
record LostHistory(Revision upTo) {

    /** The server has never gone back. */
    static final LostHistory NONE = new LostHistory(Revision.ZERO);

    boolean includes(Revision revision, Revision present) {
        return revision.isAfter(present) && !revision.isAfter(upTo);
    }

    /** The same after the mirror went from one revision to another, if that is a step back. */
    LostHistory moved(Revision from, Revision to) {
        return to.isBefore(from) ? new LostHistory(Revision.later(from, upTo)) : this;
    }
}
