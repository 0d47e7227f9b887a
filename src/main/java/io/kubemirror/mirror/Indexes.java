package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

/**
 * The indexes of the present state, by the labels and fields that lists select by.
 *
 * <p>They belong to the newest snapshot only and move with it from change to change, so that older
 * snapshots cost nothing more. A reader that needs a missing index builds it if the index pays for
 * its maintenance. The writer builds missing indexes when it moves on, because on a busy collection
 * an index that a reader builds would always be too late. One thread moves the indexes; any thread
 * may query them.
 *
 * <p>Rejected: configured indexes. What clients will select by is not known in advance, and a wrong
 * guess costs with every change.
 */
final class Indexes {

    /** The number of changes after which the counts of lists are halved. */
    private static final int GENERATION = 4_096;

    private final IndexUsage usage;

    private final int age;

    /**
     * The indexes that exist, immutable; null once the writer has moved them to the next snapshot.
     * Replaced atomically. A late reader therefore cannot attach indexes to an old snapshot again,
     * which would keep them in memory as long as that snapshot.
     */
    private final AtomicReference<@Nullable Map<Dimension, Index>> made;

    private Indexes(IndexUsage usage, int age, Map<Dimension, Index> made) {
        this.usage = usage;
        this.age = age;
        this.made = new AtomicReference<>(made);
    }

    /** Returns an empty set of indexes. */
    static Indexes none() {
        return new Indexes(new IndexUsage(), 0, Map.of());
    }

    /** Returns the indexes for a different collection of objects, with the same counts. */
    Indexes rebuilt() {
        return new Indexes(usage, 0, Map.of());
    }

    /**
     * Moves the indexes to the next snapshot; this one has none afterwards.
     *
     * @param objects all objects until now
     * @param old the previous object, null if it was added
     * @param now the new object, null if it was deleted
     */
    Indexes after(
            Collection<KubeObject> objects, @Nullable KubeObject old, @Nullable KubeObject now) {
        Map<Dimension, Index> taken = made.getAndSet(null);
        Map<Dimension, Index> next = new HashMap<>();
        for (Dimension dimension : usage.worthwhile(age == GENERATION)) {
            Index index = taken == null ? null : taken.get(dimension);
            Index present = index == null ? Index.of(dimension, objects) : index;
            next.put(dimension, present.after(old, now));
        }
        return new Indexes(usage, age == GENERATION ? 0 : age + 1, Map.copyOf(next));
    }

    /**
     * Returns the fewest objects that must be examined for a selection: those that have one of its
     * values, or all.
     *
     * @param objects all objects
     */
    TreePMap<ObjectKey, KubeObject> fewest(
            Selection selection, TreePMap<ObjectKey, KubeObject> objects) {
        TreePMap<ObjectKey, KubeObject> fewest = objects;
        for (Interest candidate : Interest.candidates(selection)) {
            if (candidate instanceof Interest.Valued valued) {
                Dimension dimension = new Dimension(valued.isLabel(), valued.name());
                Index index = find(dimension, objects.values());
                if (index != null && index.get(valued.value()).size() < fewest.size()) {
                    fewest = index.get(valued.value());
                }
            }
        }
        return fewest;
    }

    /**
     * Returns an index if it exists or is likely to be used again, otherwise null.
     *
     * @param objects all objects
     */
    @Nullable Index find(Dimension dimension, Collection<KubeObject> objects) {
        boolean worthwhile = usage.count(dimension);
        Map<Dimension, Index> present = made.get();
        if (present == null || present.containsKey(dimension) || !worthwhile) {
            return present == null ? null : present.get(dimension);
        }
        Index index = Index.of(dimension, objects);
        Map<Dimension, Index> more = new HashMap<>(present);
        more.put(dimension, index);
        // If another thread has added an index or moved them all, this one serves only this list.
        made.compareAndSet(present, Map.copyOf(more));
        return index;
    }

    /**
     * A property by which an index finds objects without examining all of them.
     *
     * @param isLabel whether it is a label, not a selectable field
     */
    record Dimension(boolean isLabel, String name) {

        /** Returns the value that an object has in this dimension, or null if it has none. */
        @Nullable String valueOf(KubeObject object) {
            return (isLabel ? object.labels() : object.fields()).get(name);
        }
    }

    /**
     * The objects of a collection, grouped by their value of a label or field, each group in key
     * order. Immutable.
     *
     * @param dimension the label or field
     * @param byValue the objects that have a value
     */
    record Index(Dimension dimension, PMap<String, TreePMap<ObjectKey, KubeObject>> byValue) {

        /** Builds an index from all objects. */
        static Index of(Dimension dimension, Collection<KubeObject> objects) {
            Index index = new Index(dimension, HashTreePMap.empty());
            for (KubeObject object : objects) {
                index = index.after(null, object);
            }
            return index;
        }

        /** Returns the objects that have a value. */
        TreePMap<ObjectKey, KubeObject> get(String value) {
            return byValue.getOrDefault(value, TreePMap.empty());
        }

        /**
         * Returns this index after one object has changed.
         *
         * @param old the previous object, null if it was added
         * @param now the new object, null if it was deleted
         */
        Index after(@Nullable KubeObject old, @Nullable KubeObject now) {
            String before = old == null ? null : dimension.valueOf(old);
            String value = now == null ? null : dimension.valueOf(now);
            PMap<String, TreePMap<ObjectKey, KubeObject>> next = byValue;
            if (old != null && before != null && !before.equals(value)) {
                TreePMap<ObjectKey, KubeObject> rest = get(before).minus(old.key());
                next = rest.isEmpty() ? next.minus(before) : next.plus(before, rest);
            }
            if (now != null && value != null) {
                next = next.plus(value, get(value).plus(now.key(), now));
            }
            return new Index(dimension, next);
        }
    }

    /**
     * Counts the labels and fields that lists select by, for all snapshots of a mirror. Safe for
     * use by any thread.
     */
    static final class IndexUsage {

        /**
         * Maximum number of maintained indexes. Each costs about as much per change as the store
         * itself.
         */
        private static final int MAX = 8;

        /** Number of lists after which an index is built. A single list may be a coincidence. */
        private static final int ENOUGH = 2;

        /** Upper limit of a count, which is forgotten after ten generations without a list. */
        private static final int CERTAIN = 1 << 10;

        private final Map<Dimension, Integer> asked = new HashMap<>();

        /** Counts a list that selects by a dimension; returns whether an index pays for itself. */
        synchronized boolean count(Dimension dimension) {
            boolean counts = asked.size() < MAX || asked.containsKey(dimension);
            return counts
                    && asked.merge(dimension, 1, (times, one) -> Math.min(CERTAIN, times + one))
                            >= ENOUGH;
        }

        /**
         * Returns the dimensions whose indexes pay for their maintenance.
         *
         * @param decay whether counts are halved first, so that those that no list needs any more
         *     end
         */
        synchronized Set<Dimension> worthwhile(boolean decay) {
            if (decay) {
                asked.replaceAll((_, times) -> times / 2);
                asked.values().removeIf(times -> times == 0);
            }
            Map<Dimension, Integer> worthwhile = new HashMap<>(asked);
            worthwhile.values().removeIf(times -> times < ENOUGH);
            return worthwhile.keySet();
        }
    }
}
