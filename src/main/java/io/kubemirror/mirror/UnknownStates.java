package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

/**
 * The states between two revisions, which the mirror missed: a list shows only the difference
 * between them, and the changes of a {@link Bridge} may have other revisions than they had at the
 * server. Readers of one mirror never see such a state. Readers of a mirror that is made of several
 * would, if it stopped there. A reader that comes from another process may know such a state, and
 * objects in it that this mirror has never seen, so it cannot resume there (list-watch.md#re-14).
 *
 * @param from the last revision before them
 * @param to the revision of the list
 */
public record UnknownStates(Revision from, Revision to) {

    /** Returns whether the state as of a revision is one of these. */
    boolean contains(Revision revision) {
        return revision.isAfter(from) && revision.isBefore(to);
    }

    /** Returns the states between the earliest and the latest revision of both. */
    public UnknownStates with(UnknownStates other) {
        return new UnknownStates(
                from.isBefore(other.from) ? from : other.from, Revision.later(to, other.to));
    }
}
