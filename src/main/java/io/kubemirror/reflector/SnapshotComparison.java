package io.kubemirror.reflector;

import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;

/**
 * Compares a snapshot with a list of the same revision that arrives object by object, in whatever
 * order; nothing of the list is kept.
 *
 * <p>Three numbers are enough, since a list of one revision names no object twice. Rejected: a set
 * of the keys that were met, which could say which objects differ, but must not, and would cost
 * megabytes every few minutes.
 */
final class SnapshotComparison {

    private final Snapshot snapshot;
    private int same;
    private int other;
    private int missing;

    SnapshotComparison(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** Takes an object of the list. */
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

    /** What the comparison says when the list is complete. */
    Audit result() {
        int surplus = snapshot.size() - same - other;
        return missing == 0 && surplus == 0 && other == 0
                ? new Audit.Consistent()
                : new Audit.Different(missing, surplus, other);
    }
}
