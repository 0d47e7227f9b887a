package io.kubemirror.source;

import io.kubemirror.model.ResourceType;

/** Describes custom resources. */
public interface DefinitionApi {

    /**
     * Requests the columns and selectable fields that the definition of a custom resource declares.
     */
    Result<ResourceDefinition> definition(ResourceType type);
}
