package io.kubemirror.model;

import java.util.List;

/**
 * A field that a field selector may name, and where its value is found
 * (list-watch.md#field-selectors).
 *
 * <p>Whoever makes a {@link KubeObject} puts the value under the label into {@link
 * KubeObject#fields()}: a string as it is, a boolean or number as its JSON text. The sources are
 * tried in order; absent members, {@code null}, empty strings, objects and arrays are no value. If
 * no source has one, the fallback is put, so that selectors need not know of it; an empty fallback
 * may be left out, since an absent field counts as empty (list-watch.md#fs-1).
 *
 * @param label the name in selectors
 * @param sources the places to look at, the first that has a value wins; none for a field that is
 *     always empty
 * @param fallback the value where no place has one
 */
public record SelectableField(String label, List<FieldPath> sources, String fallback) {

    /** Copies the sources. */
    public SelectableField {
        sources = List.copyOf(sources);
    }

    /**
     * The field whose label is its path, without a leading dot, and whose value, where absent, is
     * empty.
     *
     * @throws IllegalArgumentException if the text is not a path
     */
    public static SelectableField at(String path) {
        FieldPath source = FieldPath.parse(path);
        return new SelectableField(source.toString(), List.of(source), "");
    }
}
