package io.kubemirror.web;

import io.kubemirror.kube.ColumnsOutcome;
import io.kubemirror.model.ResourceType;

/** Asks which columns the definition of a custom resource declares (NE-21). */
@FunctionalInterface
public interface PrinterColumns {

    /** The columns of a type; may wait for the API server. */
    ColumnsOutcome of(ResourceType type);
}
