package io.kubemirror.api.encode;

import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.ResourceDefinition;
import io.kubemirror.upstream.Result;

/**
 * Provides the printer columns that the definition of a custom resource declares
 * (list-watch.md#ne-21).
 */
@FunctionalInterface
public interface PrinterColumns {

    /** Returns the columns of a type. May wait for the API server. */
    Result<ResourceDefinition> of(ResourceType type);
}
