package io.kubemirror.model;

/**
 * A permission to use a collection.
 *
 * @param group the API group, empty for the core group
 * @param resource the resource's plural name
 * @param namespace the namespace, empty for all namespaces and for cluster-scoped resources
 */
public record Permission(Verb verb, String group, String resource, String namespace) {

    /** An operation on a collection. */
    public enum Verb {
        /** Gets one of its objects. */
        GET,
        /** Lists it. */
        LIST,
        /** Watches it, with or without its present state. */
        WATCH
    }

    /**
     * Returns what a user cannot do without this permission, in the wording of kubectl and the API
     * server: {@code cannot list resource "pods" in API group "" at the cluster scope}.
     */
    public String lack() {
        return new Intent.OnResource(Names.kebab(verb), group, "", resource, namespace, "").lack();
    }
}
