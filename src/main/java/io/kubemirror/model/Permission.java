package io.kubemirror.model;

/** A permission, as an authorizer decides about it in a {@code SubjectAccessReview}. */
public sealed interface Permission {

    /** An operation that a permission allows. */
    enum Verb {
        /** Gets an object, or a path. */
        GET,
        /** Lists a collection. */
        LIST,
        /** Watches a collection, with or without its present state. */
        WATCH,
        /** Connects to an object; clients may ask for it, but kubemirror never needs it. */
        PROXY,
        /** Creates an object, or a connection to one. */
        CREATE,
        /** Replaces an object. */
        UPDATE,
        /** Changes a part of an object. */
        PATCH,
        /** Deletes an object. */
        DELETE,
        /** Deletes the objects of a collection. */
        DELETECOLLECTION,
        /** Impersonates another user. */
        IMPERSONATE,
        /** Sends something to a path that is not a resource. */
        POST,
        /** Replaces what is at a path that is not a resource. */
        PUT,
        /** Gets the headers of a path that is not a resource. */
        HEAD
    }

    /** Returns the operation. */
    Verb verb();

    /**
     * Returns what a user cannot do without this permission, in the wording of kubectl and the API
     * server: {@code cannot list resource "pods" in API group "" at the cluster scope}.
     */
    String denialMessage();

    /** Returns the permission to use the collection of a type. */
    static Permission of(Verb verb, ResourceType type, String namespace) {
        return new OnResource(verb, type.group(), "", type.plural(), namespace, "");
    }

    /**
     * Uses objects.
     *
     * @param group the API group, empty for core
     * @param version the version, empty for any
     * @param resource the resource as in roles: its plural, followed by a slash and the subresource
     *     if there is one, as in {@code pods/log}
     * @param namespace the namespace, empty for all namespaces and for cluster-scoped resources
     * @param name the object's name, empty for all
     */
    record OnResource(
            Verb verb, String group, String version, String resource, String namespace, String name)
            implements Permission {

        @Override
        public String denialMessage() {
            return "cannot %s resource %s in API group %s %s"
                    .formatted(
                            Names.kebab(verb),
                            GoString.quote(resource),
                            GoString.quote(group),
                            namespace.isEmpty()
                                    ? "at the cluster scope"
                                    : "in the namespace " + GoString.quote(namespace));
        }

        /** Returns the permission for another use of the same object. */
        public OnResource with(Verb other) {
            return new OnResource(other, group, version, resource, namespace, name);
        }

        /** Returns the plural name, without the subresource. */
        public String plural() {
            return resource.split("/", 2)[0];
        }

        /** Returns the subresource, empty for the object itself. */
        public String subresource() {
            return resource.substring(Math.min(plural().length() + 1, resource.length()));
        }
    }

    /** Uses a path that is not a resource, such as {@code /version}. */
    record OnPath(Verb verb, String path) implements Permission {

        /** Creates the permission to read a path. */
        public OnPath(String path) {
            this(Verb.GET, path);
        }

        @Override
        public String denialMessage() {
            return "cannot " + Names.kebab(verb) + " path " + GoString.quote(path);
        }
    }
}
