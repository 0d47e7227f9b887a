package io.kubemirror.api.http;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.SelectorException;

/** The field selectors that paths stand for, and the fields that change what a request reads. */
public final class FieldSelectors {

    public static final String NAME = "metadata.name";
    public static final String NAMESPACE = "metadata.namespace";

    private FieldSelectors() {}

    /** The selector of one name (list-watch.md#pa-8). */
    public static FieldSelector ofName(String name) throws SelectorException {
        String escaped = name.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
        return FieldSelector.parse(NAME + "=" + escaped);
    }
}
