package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;

import org.jspecify.annotations.Nullable;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The objects of a collection, grouped by their value of a label or field, each group in key order.
 * Immutable.
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
                old == null || before == null || before.equals(value) ? this : minus(before, old);
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
