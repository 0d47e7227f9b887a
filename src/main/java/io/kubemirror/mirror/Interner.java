package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Lets objects share their labels and field values, so that those of a thousand pods of one
 * deployment are in memory once.
 *
 * <p>What it compares with is the object's previous state and a fixed number of texts and maps seen
 * before, each in the one place that its hash gives it. A newcomer takes the place, so nothing is
 * remembered for long that no object has any more, and values that are all different cost no more
 * than their comparison. Rejected: weak references, which cost more than most of the texts; and
 * {@link String#intern}, which shares no maps and is shared with the whole process.
 *
 * <p>Used by the writer's thread.
 */
final class Interner {

    /** Enough for the names of some hundred nodes and workloads beside addresses that differ. */
    private static final int TEXTS = 4_096;

    private static final int MAPS = 1_024;

    private final Places<String> texts =
            new Places<>(TEXTS, "", text -> scrambled(text.hashCode()));
    private final Places<Map<String, String>> maps = new Places<>(MAPS, Map.of(), Interner::hash);

    /**
     * The same object with labels and fields that others have too.
     *
     * @param previous its previous state, if there is one
     */
    KubeObject share(KubeObject object, @Nullable KubeObject previous) {
        return object.with(
                share(object.labels(), previous == null ? null : previous.labels()),
                share(object.fields(), previous == null ? null : previous.fields()));
    }

    private Map<String, String> share(
            Map<String, String> map, @Nullable Map<String, String> previous) {
        if (previous != null && map.equals(previous)) {
            return previous;
        }
        Map<String, String> known = maps.find(map);
        return known == null ? maps.put(sharingTexts(map)) : known;
    }

    private Map<String, String> sharingTexts(Map<String, String> map) {
        Map<String, String> shared = HashMap.newHashMap(map.size());
        map.forEach((key, value) -> shared.put(share(key), share(value)));
        return Map.copyOf(shared);
    }

    private String share(String text) {
        String known = texts.find(text);
        return known == null ? texts.put(text) : known;
    }

    /**
     * Not the map's own hash, in which texts that vary together, such as two names of one node,
     * cancel each other out.
     */
    private static int hash(Map<String, String> map) {
        int sum = 0;
        for (Map.Entry<String, String> entry : map.entrySet()) {
            sum += scrambled(31 * entry.getKey().hashCode() + entry.getValue().hashCode());
        }
        return sum;
    }

    /** Lets every bit count in the lower ones. */
    private static int scrambled(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85ebca6b;
        return mixed ^ mixed >>> 13;
    }

    /** A place for each of the values with one remainder of their hash. */
    private static final class Places<T> {

        private final List<T> taken;
        private final ToIntFunction<T> hash;

        private Places(int count, T nothing, ToIntFunction<T> hash) {
            this.hash = hash;
            taken = new ArrayList<>(Collections.nCopies(count, nothing));
        }

        /** The value that is there already and equals this one. */
        private @Nullable T find(T value) {
            T there = taken.get(place(value));
            return value.equals(there) ? there : null;
        }

        private T put(T value) {
            taken.set(place(value), value);
            return value;
        }

        private int place(T value) {
            return Math.floorMod(hash.applyAsInt(value), taken.size());
        }
    }
}
