package io.kubemirror.api.encode;

import io.kubemirror.model.ResourceType;
import io.kubemirror.upstream.ColumnsOutcome;

/** Asks which columns the definition of a custom resource declares (list-watch.md#ne-21). */
@FunctionalInterface
public interface PrinterColumns {

    /** The columns of a type; may wait for the API server. */
    ColumnsOutcome of(ResourceType type);
}
