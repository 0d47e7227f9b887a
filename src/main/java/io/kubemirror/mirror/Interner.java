package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

/**
 * Shares equal labels and field values between objects, so that the pods of one deployment keep one
 * copy in memory.
 *
 * <p>It compares with the previous state of the object and with a fixed-size table of texts and
 * maps, each in the one slot that its hash selects. A new value replaces the value in its slot, so
 * values that no object has any more are not kept for long, and distinct values cost only a
 * comparison. Rejected: weak references, which cost more than most of the texts; and {@link
 * String#intern}, which cannot share maps and is shared with the whole process.
 *
 * <p>Used by the writer's thread only.
 */
final class Interner {

    /** Sufficient for the names of some hundred nodes and workloads, beside distinct addresses. */
    private static final int TEXTS = 4_096;

    private static final int MAPS = 1_024;

    private final List<String> texts = new ArrayList<>(Collections.nCopies(TEXTS, ""));
    private final List<Map<String, String>> maps =
            new ArrayList<>(Collections.nCopies(MAPS, Map.of()));

    /**
     * Returns the same object with shared labels and fields.
     *
     * @param previous its previous state, null if there is none
     */
    KubeObject share(KubeObject object, @Nullable KubeObject previous) {
        return object.with(
                share(object.labels(), previous == null ? null : previous.labels()),
                share(object.fields(), previous == null ? null : previous.fields()));
    }

    private Map<String, String> share(
            Map<String, String> map, @Nullable Map<String, String> previous) {
        return previous != null && map.equals(previous)
                ? previous
                : share(map, hash(map), maps, this::sharingTexts);
    }

    private Map<String, String> sharingTexts(Map<String, String> map) {
        Map<String, String> shared = HashMap.newHashMap(map.size());
        map.forEach((key, value) -> shared.put(share(key), share(value)));
        return Map.copyOf(shared);
    }

    private String share(String text) {
        return share(text, scrambled(text.hashCode()), texts, UnaryOperator.identity());
    }

    /** Returns the equal value in the slot of a hash, which is a copy of the given one if new. */
    private static <T> T share(T value, int hash, List<T> table, UnaryOperator<T> copy) {
        int slot = Math.floorMod(hash, table.size());
        T known = table.get(slot);
        if (value.equals(known)) {
            return known;
        }
        T copied = copy.apply(value);
        table.set(slot, copied);
        return copied;
    }

    /**
     * Not the map's own hash: in that one, texts that vary together, such as two names of one node,
     * cancel each other out.
     */
    private static int hash(Map<String, String> map) {
        int sum = 0;
        for (Map.Entry<String, String> entry : map.entrySet()) {
            sum += scrambled(31 * entry.getKey().hashCode() + entry.getValue().hashCode());
        }
        return sum;
    }

    /** Spreads the higher bits of a hash to the lower ones. */
    private static int scrambled(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85ebca6b;
        return mixed ^ mixed >>> 13;
    }
}
