package io.kubemirror.model;

import module java.base;

/**
 * A Kubernetes object: its JSON as received, and the few values that kubemirror reads from it.
 *
 * <p>The stored JSON is the object without its {@code kind} and {@code apiVersion}. List items of
 * built-in types arrive without them, gets and watch events with them, and both must be written
 * from the same bytes (list-watch.md#en-1). A writer that needs them puts them between the opening
 * brace and the rest. Rejected: keeping a parsed tree, five to ten times the size; and keeping two
 * byte forms.
 *
 * @param key its key in the collection
 * @param uid its UID; another object of the same name has another
 * @param revision its {@code metadata.resourceVersion}
 * @param labels its labels
 * @param fields the values of the type's selectable fields by label, except {@code metadata.name}
 *     and {@code metadata.namespace}
 * @param json a JSON object without {@code kind} and {@code apiVersion}, in UTF-8, shared and never
 *     modified
 * @param metadata the position of the value of {@code metadata} in the JSON
 * @param version the position of the text of {@code metadata.resourceVersion}, without its quotes,
 *     in the JSON
 */
public record KubeObject(
        ObjectKey key,
        String uid,
        Revision revision,
        Map<String, String> labels,
        Map<String, String> fields,
        @SuppressWarnings("ArrayRecordComponent") byte[] json,
        Span metadata,
        Span version) {

    /**
     * A range of bytes.
     *
     * @param start the first byte
     * @param end the byte after the last
     */
    public record Span(int start, int end) {}

    /** The maximum nesting depth of the JSON, the same as in the API server. */
    public static final int MAX_DEPTH = 10_000;

    /**
     * The heap memory of an object in addition to its JSON, in bytes: this record, key, UID,
     * revision, up to ten labels and fields, and its entry in the collection. For pods with six
     * labels it is about 500 if others have the same labels, and 1,000 if none does.
     */
    public static final int OVERHEAD = 700;

    /**
     * Returns the approximate heap memory of the object, in bytes. Each label and field beyond ten
     * takes 64 in addition to its JSON.
     */
    public long heapBytes() {
        return json.length + OVERHEAD + 64L * Math.max(0, labels.size() + fields.size() - 10);
    }

    /** Returns whether the other is the same state of the same object. */
    public boolean isSameState(KubeObject other) {
        return revision.equals(other.revision) && uid.equals(other.uid);
    }

    /** Returns whether the other has the same bytes. */
    public boolean hasSameJson(KubeObject other) {
        return Arrays.equals(json, other.json);
    }

    /**
     * Returns the same state with another revision, with which clients see it leave
     * (list-watch.md#ev-3, #ev-5).
     */
    public KubeObject at(Revision other) {
        byte[] digits = other.digits().getBytes(StandardCharsets.US_ASCII);
        byte[] moved = new byte[version.start() + digits.length + json.length - version.end()];
        System.arraycopy(json, 0, moved, 0, version.start());
        System.arraycopy(digits, 0, moved, version.start(), digits.length);
        int end = version.start() + digits.length;
        System.arraycopy(json, version.end(), moved, end, json.length - version.end());
        return new KubeObject(
                key,
                uid,
                other,
                labels,
                fields,
                moved,
                new Span(metadata.start(), metadata.end() + end - version.end()),
                new Span(version.start(), end));
    }

    /**
     * Returns the same state with other instances of its labels and fields.
     *
     * @param labels equal to these labels
     * @param fields equal to these fields
     */
    public KubeObject with(Map<String, String> labels, Map<String, String> fields) {
        return new KubeObject(key, uid, revision, labels, fields, json, metadata, version);
    }

    /** Returns the key and revision, never the content. */
    @Override
    public String toString() {
        return key + "@" + revision;
    }
}
