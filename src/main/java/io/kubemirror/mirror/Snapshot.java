package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Change;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * The state of a collection at one revision: complete, immutable, in key order
 * (list-watch.md#li-24, #li-26).
 *
 * <p>Snapshots share all but a few tree nodes with each other, so one is kept for every change in
 * the window.
 */
public final class Snapshot {

    private final Revision revision;
    private final TreePMap<ObjectKey, KubeObject> objects;
    private final Indexes indexes;
    private final long bytes;
    private final long replaced;

    private Snapshot(
            Revision revision,
            TreePMap<ObjectKey, KubeObject> objects,
            Indexes indexes,
            long bytes,
            long replaced) {
        this.revision = revision;
        this.objects = objects;
        this.indexes = indexes;
        this.bytes = bytes;
        this.replaced = replaced;
    }

    /** Returns a snapshot without objects. */
    static Snapshot empty(Revision revision) {
        return new Snapshot(revision, TreePMap.empty(), Indexes.none(), 0, 0);
    }

    /**
     * Returns the revision of the snapshot: that of the newest list, event, or bookmark, never the
     * maximum of its objects (list-watch.md#conventions).
     */
    public Revision revision() {
        return revision;
    }

    /** Returns the number of objects. */
    public int size() {
        return objects.size();
    }

    /**
     * Returns the size of the JSON of all objects, and of labels and fields of which one has many.
     */
    long bytes() {
        return bytes;
    }

    /** Returns the heap memory of all objects, in bytes. */
    long heapBytes() {
        return bytes + (long) KubeObject.OVERHEAD * size();
    }

    /**
     * Returns the heap memory of all objects that this snapshot and those before it replaced, in
     * bytes. The difference to a later snapshot is the most that keeping this one costs.
     */
    public long replaced() {
        return replaced;
    }

    /** Returns one object. */
    public Optional<KubeObject> get(ObjectKey key) {
        return Optional.ofNullable(find(key));
    }

    /** Returns all objects in key order. The size of the collection is available in O(1). */
    public Collection<KubeObject> objects() {
        return objects.values();
    }

    /**
     * Returns the matching objects from a key on, in key order. Skips others in O(log n) if the
     * selection names a namespace, or values of an indexed label or field; of several, those that
     * the fewest objects have.
     *
     * @param from the first path that may be in the result, empty for the first of all
     *     (list-watch.md#co-1)
     */
    public Iterable<KubeObject> select(Selection selection, String from) {
        Iterable<KubeObject> candidates = candidates(selection, from);
        return () ->
                StreamSupport.stream(candidates.spliterator(), /* parallel= */ false)
                        .filter(selection::matches)
                        .iterator();
    }

    /** Returns the objects that must be examined for a selection, in key order. */
    Iterable<KubeObject> candidates(Selection selection, String from) {
        return range(indexes.fewest(selection, objects), selection.namespace(), from);
    }

    /** Returns the number of objects of a namespace, or of all, from a key on, in O(log n). */
    public int count(String namespace, String from) {
        return range(objects, namespace, from).size();
    }

    private static Collection<KubeObject> range(
            TreePMap<ObjectKey, KubeObject> objects, String namespace, String from) {
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

    /** Returns the state after a change. */
    Snapshot after(Change change) {
        ObjectKey key = change.key();
        KubeObject now = change instanceof Change.Deleted ? null : change.latest();
        KubeObject old = find(key);
        return new Snapshot(
                change.revision(),
                now == null ? objects.minus(key) : objects.plus(key, now),
                indexes.after(objects(), old, now),
                bytes + size(now) - size(old),
                old == null ? replaced : replaced + old.heapBytes());
    }

    private static long size(@Nullable KubeObject object) {
        return object == null ? 0 : object.heapBytes() - KubeObject.OVERHEAD;
    }

    /** Returns the same objects at a later revision, or at the same. */
    Snapshot at(Revision later) {
        return later.equals(revision)
                ? this
                : new Snapshot(later, objects, indexes, bytes, replaced);
    }

    /** Returns a snapshot of other objects of the same collection, with the same index usage. */
    Snapshot replaced(TreePMap<ObjectKey, KubeObject> other, Revision at) {
        long total = other.values().stream().mapToLong(Snapshot::size).sum();
        return new Snapshot(at, other, indexes.rebuilt(), total, replaced + heapBytes());
    }

    @Override
    public String toString() {
        return objects.size() + " objects at " + revision;
    }
}
