package io.kubemirror.reflector;

import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;

/**
 * Compares a snapshot with a list of the same revision whose objects arrive one by one in any
 * order. Keeps no object of the list.
 *
 * <p>Three numbers are sufficient, since a list of one revision contains no object twice. Rejected:
 * a set of the keys in the list, which could identify the objects that differ. Objects must not be
 * named, and the set would cost megabytes every few minutes.
 */
final class SnapshotComparison {

    private final Snapshot snapshot;
    private int same;
    private int other;
    private int missing;

    SnapshotComparison(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** Adds an object of the list. */
    void add(KubeObject listed) {
        KubeObject known = snapshot.get(listed.key()).orElse(null);
        if (known == null) {
            missing++;
        } else if (known.isSameState(listed)) {
            same++;
        } else {
            other++;
        }
    }

    /** Returns the result once the list is complete. */
    Audit result() {
        int surplus = snapshot.size() - same - other;
        return missing == 0 && surplus == 0 && other == 0
                ? new Audit.Consistent()
                : new Audit.Different(missing, surplus, other);
    }
}
