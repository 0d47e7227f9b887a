package io.kubemirror.model;

import module java.base;

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

    /** Returns the namespace, empty for all. */
    public String namespace() {
        return selection.namespace();
    }

    /** Returns whether it includes the objects of a namespace, as far as the selectors do. */
    public boolean includes(String namespace) {
        return namespace().isEmpty() || namespace().equals(namespace);
    }

    /** Returns whether it answers a request for a selection completely. */
    public boolean covers(Selection wanted) {
        return includes(wanted.namespace())
                && wanted.labels().isWithin(selection.labels())
                && wanted.fields().isWithin(selection.fields());
    }

    /** Returns the selectors as one text, the label selector first; empty for everything. */
    public String selectors() {
        return Stream.of(selection.labels().text(), selection.fields().text())
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(";"));
    }

    /**
     * Returns the tags that all metrics of a mirror have: names and values in turn. The tag {@code
     * namespace} would be that of the pod, which Prometheus adds.
     */
    public String[] tags() {
        return new String[] {
            "resource", resource.text(), "resource_namespace", namespace(), "selector", selectors()
        };
    }

    /**
     * Returns a short name for logs, metrics, and beans, such as {@code pods} or {@code
     * pods/kube-system}, with the selectors in brackets.
     */
    @Override
    public String toString() {
        LabelSelector labels = selection.labels();
        FieldSelector fields = selection.fields();
        String place = namespace().isEmpty() ? "" : "/" + namespace();
        return labels.isEverything() && fields.isEverything()
                ? resource + place
                : resource + place + "[" + labels.text() + ";" + fields.text() + "]";
    }

    /** How much of each object is mirrored. */
    public enum Extent {
        /** The whole object, except for the members that are dropped. */
        WHOLE,
        /**
         * Only the metadata: the API server sends {@code PartialObjectMetadata} instead of the
         * object.
         */
        METADATA
    }
}
