package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import java.util.ArrayList;
import java.util.List;

/**
 * The states between two revisions, which the mirror missed: a list shows only the difference
 * between them, and the changes of a {@link Bridge} may have other revisions than they had at the
 * server. Readers of one mirror never see such a state. Readers of a union would, if it stopped
 * there. A reader that comes from another process may know such a state, and objects in it that
 * this mirror has never seen, so it cannot resume there (list-watch.md#re-14).
 *
 * @param from the last revision before them
 * @param to the revision of the list
 */
public record UnknownStates(Revision from, Revision to) {

    /** Maximum number that is remembered. Beyond it, the oldest become one. */
    private static final int MAX = 16;

    /**
     * Adds the newest to those that end after a revision.
     *
     * @param known the others, oldest first
     */
    static List<UnknownStates> with(
            List<UnknownStates> known, UnknownStates newest, Revision after) {
        List<UnknownStates> all = new ArrayList<>(known);
        all.add(newest);
        all.removeIf(states -> !states.to.isAfter(after) || states.from.equals(states.to));
        if (all.size() > MAX) {
            UnknownStates oldest = all.removeFirst();
            all.set(0, new UnknownStates(oldest.from, all.getFirst().to));
        }
        return List.copyOf(all);
    }

    /** Returns whether the state as of a revision is one of these. */
    boolean contains(Revision revision) {
        return revision.isAfter(from) && revision.isBefore(to);
    }

    /** Returns the states between the earliest and the latest revision of both. */
    UnknownStates with(UnknownStates other) {
        return new UnknownStates(
                from.isBefore(other.from) ? from : other.from, Revision.later(to, other.to));
    }

    /** Returns the latest revision up to the given one whose state is known. */
    static Revision latestKnown(List<UnknownStates> unknown, Revision revision) {
        Revision latest = revision;
        for (UnknownStates states : unknown.reversed()) {
            if (states.contains(latest)) {
                latest = states.from;
            }
        }
        return latest;
    }
}
