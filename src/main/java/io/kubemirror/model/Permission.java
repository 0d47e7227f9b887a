package io.kubemirror.model;

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
        return new Intent.OnResource(Names.kebab(verb), group, "", resource, namespace, "").lack();
    }
}
