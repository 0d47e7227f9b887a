package io.kubemirror.api.http;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.SelectorException;

/**
 * Creates the field selectors that paths imply, and names the fields that change what a request
 * reads.
 */
public final class FieldSelectors {

    public static final String NAME = "metadata.name";
    public static final String NAMESPACE = "metadata.namespace";

    private FieldSelectors() {}

    /** Returns the selector of one name (list-watch.md#pa-8). */
    public static FieldSelector ofName(String name) throws SelectorException {
        String escaped = name.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
        return FieldSelector.parse(NAME + "=" + escaped);
    }
}
