package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;

/**
 * The updates of a stored object that readers see (list-watch.md#ca-4).
 *
 * <p>A hidden update is stored and advances the revision of the mirror, because a client that gets,
 * modifies, and puts an object needs its newest {@code resourceVersion}. A past state ({@link
 * Mirror#snapshot(io.kubemirror.model.Revision)}) shows the object as of the last visible change of
 * the collection; it may show an older revision text than a hidden update, and no other difference.
 */
public enum UpdateVisibility {
    /** All updates. */
    ALL,
    /**
     * Only updates that change the stored object. If members are dropped from each object, many
     * updates do not. A selectable field may still change, because it is read before members are
     * dropped.
     */
    VISIBLE;

    /** Returns whether the transition between two states of an object is hidden from readers. */
    boolean hide(KubeObject known, KubeObject object) {
        return this == VISIBLE && known.differsOnlyInRevision(object);
    }
}
