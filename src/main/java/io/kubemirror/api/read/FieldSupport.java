package io.kubemirror.api.read;

import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields;
import io.kubemirror.model.SelectableFields.DeclaredFields;

/**
 * Determines which fields field selectors may use for the objects of a mirror (list-watch.md#fs-5,
 * #fs-6).
 */
@FunctionalInterface
public interface FieldSupport {

    /**
     * Returns the fields that field selectors may use.
     *
     * @param scope the configured scope of the mirror
     * @param type the resolved type
     * @param declared the fields that the definition of the type declares
     */
    SelectableFields of(Scope scope, ResourceType type, DeclaredFields declared);
}
