package io.kubemirror.model;

import java.util.List;
import java.util.Set;

/**
 * The values read from an object's JSON, and the members removed before it is stored.
 *
 * @param selectable the fields whose values are kept beside the JSON, read before anything is
 *     dropped (list-watch.md#ca-4)
 * @param dropped the members removed from the stored JSON
 */
public record ObjectShape(List<SelectableField> selectable, List<FieldPath> dropped) {

    private static final Set<String> NEEDED =
            Set.of(
                    "metadata",
                    "metadata.name",
                    "metadata.namespace",
                    "metadata.uid",
                    "metadata.resourceVersion");

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
            if (NEEDED.contains(path.toString())) {
                throw new IllegalArgumentException(path + " cannot be dropped");
            }
        }
    }

    /** Returns a shape with only the metadata that every object has. */
    public static ObjectShape plain() {
        return new ObjectShape(List.of(), List.of());
    }
}
