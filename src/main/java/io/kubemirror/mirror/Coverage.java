package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Revision;

/**
 * The revisions at which readers may continue in a history. It decides each 410.
 *
 * @param floor the smallest revision that a watch may start from (list-watch.md#conventions)
 * @param reach the revision at which a reader that has followed the history has missed nothing
 * @param unknown the states that were missed, oldest first
 */
public record Coverage(Revision floor, Revision reach, List<UnknownStates> unknown) {

    /** The maximum number of unknown states. Beyond it, the oldest become one. */
    private static final int MAX_UNKNOWN = 16;

    /** Returns the coverage of a history that begins at a revision. */
    static Coverage from(Revision start) {
        return new Coverage(start, start, List.of());
    }

    /** Returns the coverage after changes have been evicted. */
    Coverage evicted(Revision nextFloor, Revision nextReach) {
        return new Coverage(nextFloor, nextReach, unknown);
    }

    /** Returns the coverage after states were missed, without those that are not available. */
    Coverage without(UnknownStates newest) {
        List<UnknownStates> all = new ArrayList<>(unknown);
        all.add(newest);
        // The state at the reach is the earliest that is available. It may be before the floor.
        all.removeIf(some -> !some.to().isAfter(reach) || some.from().equals(some.to()));
        if (all.size() > MAX_UNKNOWN) {
            UnknownStates oldest = all.removeFirst();
            all.set(0, new UnknownStates(oldest.from(), all.getFirst().to()));
        }
        return new Coverage(floor, reach, List.copyOf(all));
    }

    /**
     * Returns whether a revision is one of the missed states. A reader that names it may have it
     * from another process, or from the earlier process of a mirror that was restored from disk.
     * What follows from the state that it knows may be other changes than those in the log.
     */
    boolean isMissed(Revision revision) {
        return missed(revision).isPresent();
    }

    /** Returns whether some of the missed states are after a revision. */
    boolean hasMissedAfter(Revision revision) {
        return !unknown.isEmpty() && unknown.getLast().to().isAfter(revision);
    }

    private Optional<UnknownStates> missed(Revision revision) {
        return unknown.stream().filter(states -> states.contains(revision)).findFirst();
    }

    /**
     * Returns where to continue if a watch must not start after a revision: the smallest revision
     * that it may start from; empty if it may.
     */
    Optional<Revision> refuseStart(Revision after) {
        return refuse(after, floor);
    }

    /**
     * Returns the same for a reader. Only one that has not read any change may know a state that
     * the mirror missed.
     */
    Optional<Revision> refuse(Cursor cursor) {
        if (cursor.position() == Cursor.UNKNOWN) {
            return refuse(cursor.revision(), reach);
        }
        return reach.follows(cursor.revision()) ? Optional.of(floor) : Optional.empty();
    }

    private Optional<Revision> refuse(Revision revision, Revision min) {
        Optional<Revision> later =
                missed(revision).map(states -> Revision.later(floor, states.to()));
        return later.isEmpty() && min.follows(revision) ? Optional.of(floor) : later;
    }

    /**
     * The states between two revisions, which the mirror missed: a list shows only the difference
     * between them, and the changes of a {@link Bridge} may have other revisions than they had at
     * the server. Readers of the mirror never see such a state. A reader that comes from another
     * process may know such a state, and objects in it that this mirror has never seen, so it
     * cannot resume there (list-watch.md#re-14).
     *
     * @param from the last revision before them
     * @param to the revision of the list
     */
    public record UnknownStates(Revision from, Revision to) {

        /** Returns whether the state as of a revision is one of these. */
        public boolean contains(Revision revision) {
            return revision.isAfter(from) && revision.isBefore(to);
        }
    }
}
