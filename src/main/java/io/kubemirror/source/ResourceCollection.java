package io.kubemirror.source;

import module java.base;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;

/**
 * A collection that can be listed and watched.
 *
 * @param type the type of the objects
 * @param selection the namespace and the selectors to send
 * @param shape which parts of each object to read and which to drop
 * @param extent how much of each object to request
 */
public record ResourceCollection(
        ResourceType type, Selection selection, ObjectShape shape, Extent extent) {

    /** Creates a collection of whole objects. */
    public ResourceCollection(ResourceType type, Selection selection, ObjectShape shape) {
        this(type, selection, shape, Extent.WHOLE);
    }

    /** Returns the API path of the collection. */
    public String path() {
        return type.collectionPath(selection.namespace());
    }

    /**
     * The values read from an object's JSON, and what is stored of it.
     *
     * @param selectable the fields whose values are kept beside the JSON, also if these fields are
     *     not stored (list-watch.md#ca-4)
     * @param stored what is stored
     */
    public record ObjectShape(List<SelectableField> selectable, StoredFields stored) {

        /** Copies the list. */
        public ObjectShape {
            selectable = List.copyOf(selectable);
        }

        /** Returns a shape with only the metadata that every object has. */
        public static ObjectShape plain() {
            return new ObjectShape(List.of(), StoredFields.ALL);
        }
    }
}
