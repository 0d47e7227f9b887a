package io.kubemirror.upstream;

import io.kubemirror.model.Extent;
import io.kubemirror.model.ObjectShape;
import io.kubemirror.model.Permission;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Selection;

/**
 * A collection that can be listed and watched.
 *
 * @param type the type of its objects
 * @param selection the namespace and the selectors to send
 * @param shape what to read of each object and what to drop
 * @param extent how much of each object to ask for
 */
public record ResourceCollection(
        ResourceType type, Selection selection, ObjectShape shape, Extent extent) {

    /** A collection of whole objects. */
    public ResourceCollection(ResourceType type, Selection selection, ObjectShape shape) {
        this(type, selection, shape, Extent.WHOLE);
    }

    /** The path that serves it. */
    public String path() {
        String namespace = selection.namespace();
        return namespace.isEmpty() ? type.collectionPath() : type.collectionPath(namespace);
    }

    /** What a user needs to do this with it. */
    public Permission permission(Permission.Verb verb) {
        return new Permission(verb, type.group(), type.plural(), selection.namespace());
    }
}
