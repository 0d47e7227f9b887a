package io.kubemirror.model;

import module java.base;

/**
 * Selects objects by the hash of one of their values: {@code shardRange(object.metadata.uid,
 * '0x0000000000000000', '0x8000000000000000')}, or several ranges joined by {@code ||}
 * (list-watch.md#shard-selectors, KEP-5866).
 *
 * <p>The hash is computed where it is needed: it takes less time than a cache miss, and keeping it
 * would cost 8 bytes of each object.
 *
 * @param key the value that is hashed
 * @param ranges the selected ranges of hashes in the order in which they were written, none for
 *     everything
 */
public record ShardSelector(ShardKey key, List<HashRange> ranges) {

    private static final ShardSelector EVERYTHING = new ShardSelector(ShardKey.UID, List.of());

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** Copies the ranges. */
    public ShardSelector {
        ranges = List.copyOf(ranges);
    }

    /** A value of an object that can be hashed. */
    public enum ShardKey {
        /** The UID. */
        UID("object.metadata.uid"),
        /** The namespace, empty for objects of the cluster. */
        NAMESPACE("object.metadata.namespace");

        private final String path;

        ShardKey(String path) {
            this.path = path;
        }

        /** Returns the path of the value in a selector. */
        public String path() {
            return path;
        }

        /** Returns the hash of the value of an object, to be compared as an unsigned number. */
        public long hashOf(KubeObject object) {
            return hash(
                    switch (this) {
                        case UID -> object.uid();
                        case NAMESPACE -> object.key().namespace();
                    });
        }
    }

    /**
     * A range of hashes, as unsigned numbers.
     *
     * @param first the smallest hash
     * @param last the largest hash, not smaller than the first one
     */
    public record HashRange(long first, long last) {

        boolean contains(long hash) {
            return Long.compareUnsigned(first, hash) <= 0 && Long.compareUnsigned(hash, last) <= 0;
        }

        private String text(ShardKey key) {
            String end = last == -1 ? "10000000000000000" : "%016x".formatted(last + 1);
            return "shardRange(%s, '0x%016x', '0x%s')".formatted(key.path(), first, end);
        }
    }

    /** Returns the selector of all objects. */
    public static ShardSelector everything() {
        return EVERYTHING;
    }

    /** Returns whether every object matches. */
    public boolean isEverything() {
        return ranges.isEmpty();
    }

    /** Returns whether the hash of an object is in one of the ranges. */
    public boolean matches(KubeObject object) {
        return isEverything() || contains(key.hashOf(object));
    }

    private boolean contains(long hash) {
        for (int i = 0; i < ranges.size(); i++) {
            if (ranges.get(i).contains(hash)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the selector in the form in which {@code metadata.shardInfo} shows it. */
    public String text() {
        return ranges.stream().map(range -> range.text(key)).collect(Collectors.joining(" || "));
    }

    @Override
    public String toString() {
        return text();
    }

    /**
     * Returns the 64-bit FNV-1a hash of a text of ASCII characters, as UIDs and the names of
     * namespaces are.
     */
    static long hash(String text) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * FNV_PRIME;
        }
        return hash;
    }
}
