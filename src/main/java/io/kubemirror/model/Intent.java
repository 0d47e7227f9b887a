package io.kubemirror.model;

/** A request that an authorizer decides about, as in a {@code SubjectAccessReview}. */
public sealed interface Intent {

    /**
     * Reads objects.
     *
     * @param verb {@code get}, {@code list}, or {@code watch}
     * @param group the API group, empty for core
     * @param resource the resource as in roles: its plural, followed by a slash and the subresource
     *     if there is one, as in {@code pods/log}
     * @param namespace the namespace, empty for all namespaces and for cluster-scoped resources
     * @param name the object's name, empty for all
     */
    record OnResource(
            String verb,
            String group,
            String version,
            String resource,
            String namespace,
            String name)
            implements Intent {

        @Override
        public String lack() {
            return "cannot %s resource %s in API group %s %s"
                    .formatted(verb, GoString.quote(resource), GoString.quote(group), place());
        }

        /** Returns the plural name, without the subresource. */
        public String plural() {
            int slash = resource.indexOf('/');
            return slash < 0 ? resource : resource.substring(0, slash);
        }

        /** Returns the subresource, empty for the object itself. */
        public String subresource() {
            int slash = resource.indexOf('/');
            return slash < 0 ? "" : resource.substring(slash + 1);
        }

        private String place() {
            return namespace.isEmpty()
                    ? "at the cluster scope"
                    : "in the namespace " + GoString.quote(namespace);
        }
    }

    /** Reads a path that is not a resource, such as {@code /version}. */
    record OnPath(String path) implements Intent {

        @Override
        public String lack() {
            return "cannot get path " + GoString.quote(path);
        }
    }

    /**
     * Returns what the user cannot do without permission, in the API server's wording: {@code
     * cannot list resource "pods" in API group "" at the cluster scope}.
     */
    String lack();
}
