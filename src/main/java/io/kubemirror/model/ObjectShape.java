package io.kubemirror.model;

import java.util.List;

/**
 * What is read out of an object's JSON and what is cut out of it before it is stored.
 *
 * @param selectable the fields whose values are kept beside the JSON, read before anything is
 *     dropped (list-watch.md#ca-4)
 * @param dropped the members cut out of the stored JSON
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
     * @throws IllegalArgumentException if a member is to be dropped without which an object is none
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

    /** Nothing but the metadata every object has. */
    public static ObjectShape plain() {
        return new ObjectShape(List.of(), List.of());
    }
}
