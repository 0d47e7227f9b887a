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
    private static final int SLOTS = 4_096;

    private final List<Object> values = new ArrayList<>(Collections.nCopies(SLOTS, ""));

    /**
     * Returns the same object with shared labels and fields.
     *
     * @param previous its previous state, null if there is none
     */
    KubeObject share(KubeObject object, @Nullable KubeObject previous) {
        return object.with(
                share(object.labels(), previous == null ? Map.of() : previous.labels()),
                share(object.fields(), previous == null ? Map.of() : previous.fields()));
    }

    private Map<String, String> share(Map<String, String> map, Map<String, String> previous) {
        return map.equals(previous) ? previous : share(map, hash(map), this::sharingTexts);
    }

    private Map<String, String> sharingTexts(Map<String, String> map) {
        Map<String, String> shared = HashMap.newHashMap(map.size());
        map.forEach((key, value) -> shared.put(share(key), share(value)));
        return Map.copyOf(shared);
    }

    private String share(String text) {
        return share(text, scrambled(text.hashCode()), UnaryOperator.identity());
    }

    /** Returns the equal value in the slot of a hash, which is a copy of the given one if new. */
    @SuppressWarnings("unchecked") // Equal maps and equal texts have the same type.
    private <T> T share(T value, int hash, UnaryOperator<T> copy) {
        int slot = Math.floorMod(hash, SLOTS);
        if (!value.equals(values.get(slot))) {
            values.set(slot, copy.apply(value));
        }
        return (T) values.get(slot);
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
