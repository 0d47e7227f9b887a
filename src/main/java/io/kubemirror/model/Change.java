package io.kubemirror.model;

/**
 * One step of a collection from a revision to the next.
 *
 * <p>A change keeps the object's previous state, since whoever selects a part of the collection
 * must be told when an object leaves it (list-watch.md#ev-3) and what a deleted object was
 * (list-watch.md#ev-5).
 */
public sealed interface Change {

    /** The revision that this change leads to. */
    Revision revision();

    /** Whose change it is. */
    ObjectKey key();

    /**
     * The object came.
     *
     * @param revision the revision of the change
     * @param object the object from now on
     */
    record Added(Revision revision, KubeObject object) implements Change {
        @Override
        public ObjectKey key() {
            return object.key();
        }
    }

    /**
     * The object is another than before.
     *
     * @param revision the revision of the change
     * @param previous the object until now
     * @param object the object from now on
     */
    record Modified(Revision revision, KubeObject previous, KubeObject object) implements Change {
        @Override
        public ObjectKey key() {
            return object.key();
        }
    }

    /**
     * The object went.
     *
     * @param revision the revision of the change, later than the object's own
     * @param previous the object until now
     */
    record Deleted(Revision revision, KubeObject previous) implements Change {
        @Override
        public ObjectKey key() {
            return previous.key();
        }
    }
}
