package io.kubemirror.api.read;

import io.kubemirror.model.DeclaredFields;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields;

/** Knows which fields the objects of a mirror can be selected by (list-watch.md#fs-5, #fs-6). */
@FunctionalInterface
public interface FieldSupport {

    /**
     * The fields that field selectors may name.
     *
     * @param scope what is mirrored, as configured
     * @param type the type that it has turned out to be
     * @param declared the fields that the definition of the type declares
     */
    SelectableFields of(Scope scope, ResourceType type, DeclaredFields declared);
}
