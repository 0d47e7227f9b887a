package io.kubemirror.history;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The objects that a request selects.
 *
 * @param namespace their namespace, empty for all
 * @param name their name, empty for all
 * @param label the value of their label, empty for all
 * @param shard the quarter of the hashes of their UIDs, from 0 to 3, negative for all
 */
record Selected(String namespace, String name, String label, int shard) {

    /** All objects. */
    static final Selected ALL = new Selected("", "", "", -1);

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** Whether the request may be about an object, whatever its labels. */
    boolean concerns(Version version) {
        return (namespace.isEmpty() || namespace.equals(version.namespace()))
                && (name.isEmpty() || name.equals(version.name()))
                && (shard < 0 || hash(version.uid()) >>> 62 == shard);
    }

    /** Whether an object is selected, and exists. */
    boolean matches(Version version) {
        return !version.deleted()
                && concerns(version)
                && (label.isEmpty() || label.equals(version.label()));
    }

    /** FNV-1a, as KEP-5866 has it. */
    private static long hash(String text) {
        long hash = FNV_OFFSET;
        for (byte b : text.getBytes(UTF_8)) {
            hash = (hash ^ (b & 0xff)) * FNV_PRIME;
        }
        return hash;
    }
}
