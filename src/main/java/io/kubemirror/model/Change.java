package io.kubemirror.model;

/**
 * One step of a collection from a revision to the next.
 *
 * <p>A change keeps the object's previous state. A client with a selection needs it to see that an
 * object leaves the selection (list-watch.md#ev-3), and any client needs the last state of a
 * deleted object (list-watch.md#ev-5).
 */
public sealed interface Change {

    /** Returns the revision that this change leads to. */
    Revision revision();

    /**
     * Returns the state that a client is sent: the new one, or the last one of a deleted object.
     */
    default KubeObject latest() {
        return switch (this) {
            case Added added -> added.object;
            case Modified modified -> modified.object;
            case Deleted deleted -> deleted.previous;
        };
    }

    /** Returns the key of the changed object. */
    default ObjectKey key() {
        return latest().key();
    }

    /**
     * The object was added.
     *
     * @param revision the revision of the change
     * @param object the new state
     */
    record Added(Revision revision, KubeObject object) implements Change {}

    /**
     * The object was modified.
     *
     * @param revision the revision of the change
     * @param previous the previous state
     * @param object the new state
     */
    record Modified(Revision revision, KubeObject previous, KubeObject object) implements Change {}

    /**
     * The object was deleted.
     *
     * @param revision the revision of the change, later than the object's own
     * @param previous the last state
     */
    record Deleted(Revision revision, KubeObject previous) implements Change {}
}
