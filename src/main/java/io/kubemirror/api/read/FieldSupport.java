package io.kubemirror.api.read;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.SelectableFields;

/**
 * Determines which fields field selectors may use for the objects of a mirror (list-watch.md#fs-5,
 * #fs-6).
 */
@FunctionalInterface
public interface FieldSupport {

    /**
     * Returns the fields that field selectors may use, also after the mirror has been removed: a
     * request that has found it may still read it.
     *
     * @param type the resolved type
     */
    SelectableFields of(Mirror mirror, ResourceType type);
}
