package io.kubemirror.model;

import java.util.List;

/**
 * What is read out of an object's JSON and what is cut out of it before it is stored.
 *
 * @param selectable the fields whose values are kept beside the JSON, read before anything is
 *     dropped (CA-4)
 * @param dropped the members cut out of the stored JSON
 */
public record ObjectShape(List<SelectableField> selectable, List<FieldPath> dropped) {

    /** Copies the lists. */
    public ObjectShape {
        selectable = List.copyOf(selectable);
        dropped = List.copyOf(dropped);
    }

    /** Nothing but the metadata every object has. */
    public static ObjectShape plain() {
        return new ObjectShape(List.of(), List.of());
    }
}
