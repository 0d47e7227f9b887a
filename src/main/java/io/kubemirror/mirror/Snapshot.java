package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

import java.util.Collection;
import java.util.Optional;

/**
 * What a collection was at one revision: complete, immutable, in key order (LI-24, LI-26).
 *
 * <p>Snapshots share all but a few tree nodes with each other, so one is kept for every change in
 * the window.
 */
public final class Snapshot {

    private final Revision revision;
    private final TreePMap<ObjectKey, KubeObject> objects;

    Snapshot(Revision revision, TreePMap<ObjectKey, KubeObject> objects) {
        this.revision = revision;
        this.objects = objects;
    }

    /** A snapshot without objects. */
    static Snapshot empty(Revision revision) {
        return new Snapshot(revision, TreePMap.empty());
    }

    /**
     * The revision that the snapshot is true at: of the newest list, event or bookmark, never the
     * maximum of its objects (spec 0.2, cRV).
     */
    public Revision revision() {
        return revision;
    }

    /** The number of objects. */
    public int size() {
        return objects.size();
    }

    /** One object. */
    public Optional<KubeObject> get(ObjectKey key) {
        return Optional.ofNullable(find(key));
    }

    /** All objects in key order; its size costs nothing. */
    public Collection<KubeObject> objects() {
        return objects.values();
    }

    /**
     * The objects of a namespace, or of all, from a key on, in key order; found in O(log n), its
     * size costs nothing more.
     *
     * @param namespace the namespace, empty for all
     * @param from the first path that may be in the result, empty for the first of all (CO-1a)
     */
    public Collection<KubeObject> objects(String namespace, String from) {
        TreePMap<ObjectKey, KubeObject> range = objects;
        if (!namespace.isEmpty()) {
            // '0' is the character after '/', so this is where the namespace ends in key order.
            range = range.subMap(new ObjectKey(namespace + "/"), new ObjectKey(namespace + "0"));
        }
        return (from.isEmpty() ? range : range.tailMap(new ObjectKey(from))).values();
    }

    @Nullable KubeObject find(ObjectKey key) {
        return objects.get(key);
    }

    Snapshot with(KubeObject object, Revision at) {
        return new Snapshot(at, objects.plus(object.key(), object));
    }

    Snapshot without(ObjectKey key, Revision at) {
        return new Snapshot(at, objects.minus(key));
    }

    /** The same objects, known to be true at a later revision too. */
    Snapshot at(Revision later) {
        return new Snapshot(later, objects);
    }

    @Override
    public String toString() {
        return objects.size() + " objects at " + revision;
    }
}
