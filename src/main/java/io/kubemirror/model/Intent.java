package io.kubemirror.model;

/** What somebody wants to do, as Kubernetes asks whether it is permitted. */
public sealed interface Intent {

    /**
     * To read objects.
     *
     * @param verb {@code get}, {@code list} or {@code watch}
     * @param group the API group, empty for core
     * @param version the version
     * @param resource the resource's plural name
     * @param namespace the namespace, empty for all of them and for resources without
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

        private String place() {
            return namespace.isEmpty()
                    ? "at the cluster scope"
                    : "in the namespace " + GoString.quote(namespace);
        }
    }

    /**
     * To read what is no object, such as {@code /version}.
     *
     * @param path the path
     */
    record OnPath(String path) implements Intent {

        @Override
        public String lack() {
            return "cannot get path " + GoString.quote(path);
        }
    }

    /**
     * What somebody who is not permitted cannot do, in the words of the API server: {@code cannot
     * list resource "pods" in API group "" at the cluster scope}.
     */
    String lack();
}
