package io.kubemirror.model;

import java.util.Locale;

/**
 * What a user must be allowed to do with a collection.
 *
 * @param verb what to do
 * @param group the API group, empty for the core group
 * @param resource the resource's plural name
 * @param namespace the namespace, empty for all of them and for resources without
 */
public record Permission(Verb verb, String group, String resource, String namespace) {

    /** What can be done with a collection. */
    public enum Verb {
        /** To get one of its objects. */
        GET,
        /** To list it. */
        LIST,
        /** To watch it, with or without its present state. */
        WATCH
    }

    /**
     * What somebody without it cannot do, in the words of kubectl and of the API server: {@code
     * cannot list resource "pods" in API group "" at the cluster scope}.
     */
    public String lack() {
        return "cannot %s resource \"%s\" in API group \"%s\" %s"
                .formatted(verb.name().toLowerCase(Locale.ROOT), resource, group, place());
    }

    private String place() {
        return namespace.isEmpty()
                ? "at the cluster scope"
                : "in the namespace \"" + namespace + "\"";
    }
}
