package io.kubemirror.model;

import java.util.List;

/**
 * The values read from an object's JSON, and the members removed before it is stored.
 *
 * @param selectable the fields whose values are kept beside the JSON, read before anything is
 *     dropped (list-watch.md#ca-4)
 * @param dropped the members removed from the stored JSON
 */
public record ObjectShape(List<SelectableField> selectable, List<FieldPath> dropped) {

    private static final List<List<String>> NEEDED =
            List.of(
                    List.of("metadata"),
                    List.of("metadata", "name"),
                    List.of("metadata", "namespace"),
                    List.of("metadata", "uid"),
                    List.of("metadata", "resourceVersion"));

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if a dropped member is required in every object
     *     (list-watch.md#ca-4)
     */
    public ObjectShape {
        selectable = List.copyOf(selectable);
        dropped = List.copyOf(dropped);
        for (FieldPath path : dropped) {
            if (NEEDED.contains(path.segments())) {
                throw new IllegalArgumentException(
                        String.join(".", path.segments()) + " cannot be dropped");
            }
        }
    }

    /** Returns a shape with only the metadata that every object has. */
    public static ObjectShape plain() {
        return new ObjectShape(List.of(), List.of());
    }
}
