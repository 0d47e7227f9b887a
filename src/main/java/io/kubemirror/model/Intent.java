package io.kubemirror.model;

/** What somebody wants to do, as Kubernetes asks whether it is permitted. */
public sealed interface Intent {

    /**
     * To read objects.
     *
     * @param verb {@code get}, {@code list} or {@code watch}
     * @param group the API group, empty for core
     * @param version the version
     * @param resource the resource as roles name it: its plural, followed by a slash and the
     *     subresource if one is wanted, as in {@code pods/log}
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

        /** The plural name, without the subresource. */
        public String plural() {
            int slash = resource.indexOf('/');
            return slash < 0 ? resource : resource.substring(0, slash);
        }

        /** The subresource, empty if the object itself is wanted. */
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
