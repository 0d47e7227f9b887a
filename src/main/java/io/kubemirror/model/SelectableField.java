package io.kubemirror.model;

import java.util.List;

/**
 * A field that a field selector may name, and the paths of its value
 * (list-watch.md#field-selectors).
 *
 * <p>The reader of a {@link KubeObject} stores the value under the label in {@link
 * KubeObject#fields()}: a string as it is, a boolean or number as its JSON text. It tries the
 * sources in order; absent members, {@code null}, empty strings, objects, and arrays are no value.
 * If no source has a value, it stores the fallback, so that selectors need no special case. An
 * empty fallback may be left out, since an absent field counts as empty (list-watch.md#fs-1).
 *
 * @param label the name in selectors
 * @param sources the paths of the value, the first that has one is used; none for a field that is
 *     always empty
 * @param fallback the value if no path has one
 */
public record SelectableField(String label, List<FieldPath> sources, String fallback) {

    /** Copies the sources. */
    public SelectableField {
        sources = List.copyOf(sources);
    }

    /**
     * Creates the field whose label is its path, without a leading dot, and whose fallback is
     * empty.
     *
     * @throws IllegalArgumentException if the text is not a path
     */
    public static SelectableField at(String path) {
        FieldPath source = FieldPath.parse(path);
        return new SelectableField(source.toString(), List.of(source), "");
    }
}
