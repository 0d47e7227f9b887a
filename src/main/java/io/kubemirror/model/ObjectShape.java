package io.kubemirror.model;

import java.util.List;
import java.util.stream.Stream;

/**
 * The values read from an object's JSON, and the members removed before it is stored.
 *
 * @param selectable the fields whose values are kept beside the JSON, read before anything is
 *     dropped (list-watch.md#ca-4)
 * @param kept the only members of the stored JSON, beside those that every object needs; none for
 *     all
 * @param dropped the members removed from the stored JSON, also from those that are kept
 */
public record ObjectShape(
        List<SelectableField> selectable, List<FieldPath> kept, List<FieldPath> dropped) {

    private static final List<FieldPath> NEEDED =
            Stream.of(
                            "metadata.name",
                            "metadata.namespace",
                            "metadata.uid",
                            "metadata.resourceVersion")
                    .map(FieldPath::parse)
                    .toList();

    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if a dropped member is required in every object
     *     (list-watch.md#ca-4)
     */
    public ObjectShape {
        selectable = List.copyOf(selectable);
        kept = List.copyOf(kept);
        dropped = List.copyOf(dropped);
        for (FieldPath path : dropped) {
            if (path.segments().equals(List.of("metadata")) || NEEDED.contains(path)) {
                throw new IllegalArgumentException(path + " cannot be dropped");
            }
        }
    }

    /** Creates a shape that keeps all members but some. */
    public ObjectShape(List<SelectableField> selectable, List<FieldPath> dropped) {
        this(selectable, List.of(), dropped);
    }

    /** Returns the members that are kept if not all are: the given ones, and those needed. */
    public List<FieldPath> remaining() {
        return Stream.concat(NEEDED.stream(), kept.stream()).toList();
    }

    /** Returns a shape with only the metadata that every object has. */
    public static ObjectShape plain() {
        return new ObjectShape(List.of(), List.of());
    }
}
