package io.kubemirror.model;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The resource, selection, and extent of one list-watch, as configured: the identity of a mirror
 * (list-watch.md#ca-7).
 *
 * @param resource the resource in kubectl's notation, not yet resolved to a type
 * @param selection the namespace and the selectors that are sent upstream
 * @param extent how much of each object is mirrored
 */
public record Scope(ResourceName resource, Selection selection, Extent extent) {

    /** Creates a scope of whole objects. */
    public Scope(ResourceName resource, Selection selection) {
        this(resource, selection, Extent.WHOLE);
    }

    /** Returns the selectors as one text, the label selector first; empty for everything. */
    public String selectors() {
        return Stream.of(selection.labels().text(), selection.fields().text())
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(";"));
    }

    /** Returns the tags that all metrics of a mirror have: names and values in turn. */
    public String[] tags() {
        return new String[] {
            "resource", resource.text(), "namespace", selection.namespace(), "selector", selectors()
        };
    }

    /**
     * Returns a short name for logs, metrics, and beans, such as {@code pods} or {@code
     * pods/kube-system}, with the selectors in brackets.
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(resource.text());
        if (!selection.namespace().isEmpty()) {
            text.append('/').append(selection.namespace());
        }
        if (!selection.labels().isEverything() || !selection.fields().isEverything()) {
            text.append('[').append(selection.labels().text());
            text.append(';').append(selection.fields().text()).append(']');
        }
        return text.toString();
    }
}
