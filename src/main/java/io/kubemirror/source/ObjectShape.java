package io.kubemirror.source;

import io.kubemirror.model.SelectableField;

import java.util.List;

/**
 * The values read from an object's JSON, and what is stored of it.
 *
 * @param selectable the fields whose values are kept beside the JSON, read before the object is
 *     transformed (list-watch.md#ca-4)
 * @param transform what is stored
 */
public record ObjectShape(List<SelectableField> selectable, ObjectTransform transform) {

    /** Leaves out what selectors must not show. */
    public ObjectShape {
        selectable = selectable.stream().map(transform::selectable).toList();
    }

    /** Returns a shape with only the metadata that every object has. */
    public static ObjectShape plain() {
        return new ObjectShape(List.of(), ObjectTransform.NONE);
    }
}
