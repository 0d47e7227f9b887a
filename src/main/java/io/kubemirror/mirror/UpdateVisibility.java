package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;

/**
 * Which updates of a stored object readers are told of (list-watch.md#ca-4).
 *
 * <p>An update that they are not told of is stored all the same and moves the mirror's revision:
 * whoever gets, modifies and puts an object needs its newest {@code resourceVersion}. A state of
 * the past ({@link Mirror#snapshot(io.kubemirror.model.Revision)}) shows the object as of the last
 * change of the collection; of such an update it may lack the text of the revision, nothing else.
 */
public enum UpdateVisibility {
    /** All of them. */
    ALL {
        @Override
        boolean hide(KubeObject known, KubeObject object) {
            return false;
        }
    },
    /**
     * Those that leave another object than before. Where members are dropped from each object, many
     * do not; a selectable field may still have changed, as it is read before anything is dropped.
     */
    VISIBLE {
        @Override
        boolean hide(KubeObject known, KubeObject object) {
            return known.differsOnlyInRevision(object);
        }
    };

    /** Whether nobody need be told that one state of an object follows another. */
    abstract boolean hide(KubeObject known, KubeObject object);
}
