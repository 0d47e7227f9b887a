package io.kubemirror.api.encode;

import module java.base;

import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;

/** Stored objects with content. */
public final class OrderedItems {

    private OrderedItems() {}

    /**
     * A pod.
     *
     * @param members further members of the object as JSON, with a leading comma each
     */
    public static KubeObject item(String path, long revision, String members) {
        return item(path, revision, members, Map.of(), Map.of());
    }

    /** A pod with labels and fields that its JSON does not have. */
    static KubeObject item(
            String path,
            long revision,
            String members,
            Map<String, String> labels,
            Map<String, String> fields) {
        ObjectKey key = new ObjectKey(path);
        String start =
                "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"resourceVersion\":\""
                        .formatted(key.name(), key.namespace());
        String metadata = start + revision + "\"}";
        return new KubeObject(
                key,
                "uid-" + path,
                new Revision(Long.toString(revision)),
                labels,
                fields,
                (metadata + members + "}").getBytes(StandardCharsets.UTF_8),
                new KubeObject.Span("{\"metadata\":".length(), metadata.length()),
                new KubeObject.Span(start.length(), start.length() + digits(revision)));
    }

    private static int digits(long revision) {
        return Long.toString(revision).length();
    }

    static ValuePath path(String text) {
        return ValuePath.parse(text);
    }
}
