package io.kubemirror.model;

import java.util.List;

/**
 * A field that a field selector may name, and where its value is found (spec 3.2).
 *
 * @param label the name in selectors
 * @param sources the places to look at, the first that has a value wins
 * @param fallback the value where no place has one
 */
public record SelectableField(String label, List<FieldPath> sources, String fallback) {

    /** Copies the sources. */
    public SelectableField {
        sources = List.copyOf(sources);
    }

    /** The field whose label is its path and whose value, where absent, is empty. */
    public static SelectableField at(String path) {
        return new SelectableField(path, List.of(FieldPath.parse(path)), "");
    }
}
