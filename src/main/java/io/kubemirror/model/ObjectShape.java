package io.kubemirror.model;

import java.util.List;

/**
 * The values read from an object's JSON, and what is stored of it.
 *
 * @param selectable the fields whose values are kept beside the JSON, read before anything is
 *     dropped (list-watch.md#ca-4)
 * @param stored what is stored
 */
public record ObjectShape(List<SelectableField> selectable, StoredFields stored) {

    /** Copies the list. */
    public ObjectShape {
        selectable = List.copyOf(selectable);
    }

    /** Creates a shape that keeps all members but some. */
    public ObjectShape(List<SelectableField> selectable, List<FieldPath> dropped) {
        this(selectable, new StoredFields(List.of(), dropped));
    }

    /** Returns a shape with only the metadata that every object has. */
    public static ObjectShape plain() {
        return new ObjectShape(List.of(), StoredFields.ALL);
    }
}
