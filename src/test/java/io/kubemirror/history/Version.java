package io.kubemirror.history;

/**
 * One version of an object, as etcd stored it or a client saw it.
 *
 * @param at when etcd reported it, by {@link System#nanoTime}; 0 for what a client saw
 * @param key {@code namespace/name}
 * @param uid the UID
 * @param revision the resource version; of a deletion, that of the deletion
 * @param value what the writer wrote, which no other write has, except one of dropped fields
 * @param label the value of the label that clients select by
 * @param deleted whether this is the end of the object
 */
record Version(
        long at,
        String key,
        String uid,
        long revision,
        String value,
        String label,
        boolean deleted) {

    /** In the place of an object where there is none. */
    static final Version NONE = new Version(0, "", "", 0, "", "", true);

    /** Whether a client that saw the other one saw this one. */
    boolean isSeenAs(Version other) {
        return key.equals(other.key)
                && uid.equals(other.uid)
                && revision == other.revision
                && value.equals(other.value)
                && label.equals(other.label);
    }

    /** The last state of an object as an event of its end shows it. */
    Version endedAt(long end) {
        return new Version(at, key, uid, end, value, label, true);
    }

    String namespace() {
        return key.substring(0, key.indexOf('/'));
    }

    String name() {
        return key.substring(key.indexOf('/') + 1);
    }

    /** The version for the eyes of a reader. */
    String brief() {
        return "%s@%d=%s%s".formatted(key, revision, value, deleted ? " (deleted)" : "");
    }
}
