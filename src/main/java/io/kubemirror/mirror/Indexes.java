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
 * The indexes of the present state.
 *
 * <p>They belong to the newest snapshot only and move with it from change to change, so that older
 * snapshots cost nothing more. A reader that needs a missing index builds it if the index pays for
 * its maintenance. The writer builds missing indexes when it moves on, because on a busy collection
 * an index that a reader builds would always be too late. One thread moves the indexes; any thread
 * may query them.
 */
final class Indexes {

    /** The number of changes after which usage counts decay. */
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

    /** Returns the indexes for a different collection of objects, with the same usage counts. */
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
        if (age == GENERATION) {
            usage.decay();
        }
        Map<Dimension, Index> taken = made.getAndSet(null);
        Map<Dimension, Index> mine = taken == null ? Map.of() : taken;
        Map<Dimension, Index> next = new HashMap<>();
        for (Dimension dimension : usage.worthwhile()) {
            Index index = mine.get(dimension);
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
            TreePMap<ObjectKey, KubeObject> found =
                    switch (candidate) {
                        case Interest.Labeled(String label, String value) ->
                                find(Dimension.label(label), value, objects);
                        case Interest.Having(String field, String value) ->
                                find(Dimension.field(field), value, objects);
                        case Interest.Everything _, Interest.Named _, Interest.Within _ -> objects;
                    };
            fewest = found.size() < fewest.size() ? found : fewest;
        }
        return fewest;
    }

    /** Returns the objects that have a value, all without an index. */
    private TreePMap<ObjectKey, KubeObject> find(
            Dimension dimension, String value, TreePMap<ObjectKey, KubeObject> objects) {
        Index index = find(dimension, objects.values());
        return index == null ? objects : index.get(value);
    }

    /**
     * Returns an index if it exists or is likely to be used again, otherwise null.
     *
     * @param objects all objects
     */
    @Nullable Index find(Dimension dimension, Collection<KubeObject> objects) {
        usage.record(dimension);
        Map<Dimension, Index> present = made.get();
        if (present == null) {
            return null;
        }
        Index index = present.get(dimension);
        if (index == null && usage.isWorthwhile(dimension)) {
            index = Index.of(dimension, objects);
            Map<Dimension, Index> more = new HashMap<>(present);
            more.put(dimension, index);
            // If another thread has added an index or moved them all, this index serves only this
            // list.
            made.compareAndSet(present, Map.copyOf(more));
        }
        return index;
    }

    /**
     * A property by which an index finds objects without examining all of them: a label or a
     * selectable field.
     */
    record Dimension(boolean isLabel, String name) {

        static Dimension label(String key) {
            return new Dimension(true, key);
        }

        static Dimension field(String name) {
            return new Dimension(false, name);
        }

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
            Map<String, Map<ObjectKey, KubeObject>> sorted = new HashMap<>();
            for (KubeObject object : objects) {
                String value = dimension.valueOf(object);
                if (value != null) {
                    sorted.computeIfAbsent(value, _ -> new HashMap<>()).put(object.key(), object);
                }
            }
            Map<String, TreePMap<ObjectKey, KubeObject>> trees = new HashMap<>();
            sorted.forEach((value, some) -> trees.put(value, TreePMap.from(some)));
            return new Index(dimension, HashTreePMap.from(trees));
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
            Index without =
                    old == null || before == null || before.equals(value)
                            ? this
                            : minus(before, old);
            return now == null || value == null ? without : without.plus(value, now);
        }

        private Index plus(String value, KubeObject object) {
            return new Index(dimension, byValue.plus(value, get(value).plus(object.key(), object)));
        }

        private Index minus(String value, KubeObject object) {
            TreePMap<ObjectKey, KubeObject> rest = get(value).minus(object.key());
            return new Index(
                    dimension, rest.isEmpty() ? byValue.minus(value) : byValue.plus(value, rest));
        }
    }

    /**
     * Counts the labels and fields that lists select by, to decide which indexes are maintained.
     *
     * <p>Rejected: configured indexes. What clients will select by is not known in advance, and a
     * wrong guess costs with every change.
     *
     * <p>Safe for use by any thread.
     */
    static final class IndexUsage {

        /**
         * Maximum number of maintained indexes. Each costs about as much per change as the store
         * itself.
         */
        private static final int MAX = 8;

        /**
         * Number of requests after which an index is built. A single request may be a coincidence.
         */
        private static final int ENOUGH = 2;

        /**
         * Upper limit of a count. A dimension at this limit is remembered for ten times {@link
         * #decay}.
         */
        private static final int CERTAIN = 1 << 10;

        /**
         * Counts are incremented atomically. New keys are added under the lock of this object, see
         * below.
         */
        private final Map<Dimension, Integer> asked = new ConcurrentHashMap<>();

        /** Records that a list selects by a dimension. */
        void record(Dimension dimension) {
            Integer times = asked.get(dimension);
            if (times == null) {
                begin(dimension);
            } else if (times < CERTAIN) {
                asked.merge(dimension, 1, Integer::sum);
            }
        }

        /**
         * Synchronized, because concurrent callers would otherwise each find room for one more
         * entry.
         */
        private synchronized void begin(Dimension dimension) {
            if (asked.containsKey(dimension) || asked.size() < MAX) {
                asked.merge(dimension, 1, Integer::sum);
            }
        }

        /** Returns whether an index pays for its maintenance. */
        boolean isWorthwhile(Dimension dimension) {
            return asked.getOrDefault(dimension, 0) >= ENOUGH;
        }

        /** Returns the dimensions whose indexes pay for their maintenance. */
        Collection<Dimension> worthwhile() {
            return asked.isEmpty()
                    ? Set.of()
                    : asked.keySet().stream()
                            .filter(this::isWorthwhile)
                            .collect(Collectors.toSet());
        }

        /**
         * Decreases all counts, so that dimensions that are not requested any more are removed in
         * time.
         */
        void decay() {
            asked.replaceAll((_, times) -> times / 2);
            asked.values().removeIf(times -> times == 0);
        }
    }
}
