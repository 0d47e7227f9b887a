package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

/**
 * The changes that lead from an old state to a later list, as if they had been watched
 * (list-watch.md#re-5).
 *
 * <p>The revision of a missed deletion is unknown. Each such deletion gets the lowest revision that
 * no other change has, because a client that stops between two changes resumes there. If none is
 * free, because deletions of one transaction share one, it gets a part of the old revision.
 */
final class Bridge {

    private final Snapshot old;
    private final Revision target;
    private final List<Change> changes = new ArrayList<>();
    private final List<KubeObject> successors = new ArrayList<>();
    private final Set<Revision> taken = new HashSet<>();
    private Revision lastTried;
    private Revision spare;

    private Bridge(Snapshot old, Revision target) {
        this.old = old;
        this.target = target;
        this.lastTried = old.revision();
        Revision known = old.revision().whole();
        this.spare = old.revision().follows(known) ? old.revision() : known;
    }

    /**
     * Builds the bridge.
     *
     * @param old the state before
     * @param differing the objects of the list that are not as they were
     * @param isListed whether the list has an object of that key
     * @param target the revision of the list
     * @return the bridge, or empty if the old history cannot be continued
     */
    static Optional<Bridge> between(
            Snapshot old,
            Collection<KubeObject> differing,
            Predicate<ObjectKey> isListed,
            Revision target) {
        Bridge bridge = new Bridge(old, target);
        if (target.isBefore(old.revision()) || !bridge.addDiffering(differing)) {
            return Optional.empty();
        }
        bridge.addDeletions(isListed);
        bridge.changes.sort(Comparator.comparing(Change::revision));
        return Optional.of(bridge);
    }

    /** Returns the changes, in revision order. */
    List<Change> changes() {
        return changes;
    }

    /** A bridge that evicts its own first changes is useless to readers (list-watch.md#re-3). */
    boolean fits(Window window) {
        return changes.size() <= window.maximum() / 2
                && changes.stream().mapToLong(LoggedChange::cost).sum() <= window.bytes();
    }

    private boolean addDiffering(Collection<KubeObject> differing) {
        return differing.stream()
                .sorted(Comparator.comparing(KubeObject::revision))
                .allMatch(this::addDiffering);
    }

    /**
     * Returns false for a revision outside the gap: history before it is closed, history after it
     * has not started.
     */
    private boolean addDiffering(KubeObject object) {
        if (!object.revision().isAfter(old.revision())
                || object.revision().isAfter(target)
                || !taken.add(object.revision())) {
            return false;
        }
        KubeObject known = old.find(object.key());
        if (known == null) {
            changes.add(new Change.Added(object.revision(), object));
        } else if (!known.uid().equals(object.uid())) {
            successors.add(object);
            changes.add(new Change.Added(object.revision(), object));
        } else {
            changes.add(new Change.Modified(object.revision(), known, object));
        }
        return true;
    }

    /**
     * A replaced object must be deleted before its successor is added. Those deletions take the
     * lowest revisions, in the order of their successors.
     */
    private void addDeletions(Predicate<ObjectKey> isListed) {
        for (KubeObject successor : successors) {
            addDeletion(old.get(successor.key()).orElseThrow(), successor.revision());
        }
        Revision end = target.next();
        for (KubeObject object : old.objects()) {
            if (!isListed.test(object.key())) {
                addDeletion(object, end);
            }
        }
    }

    private void addDeletion(KubeObject object, Revision before) {
        do {
            lastTried = lastTried.next();
        } while (taken.contains(lastTried));
        boolean isFree = lastTried.isBefore(before);
        spare = isFree ? spare : spare.following(spare);
        changes.add(new Change.Deleted(isFree ? lastTried : spare, object));
    }
}
