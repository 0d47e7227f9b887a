package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;

/**
 * The parsed path of a request (list-watch.md#paths). Parsing does not check whether the resource
 * is mirrored or exists.
 */
public sealed interface RequestPath {

    /** Whether a request with this path and a query is a watch. */
    default boolean isWatch(Query query) {
        return false;
    }

    /** A path that neither mirrors nor discovery serve. */
    sealed interface Other extends RequestPath {}

    /** {@code /version}: the version of the API server. */
    record VersionPath() implements Other {}

    /** {@code /kubemirror/v1/watch}: a stream of several resources, which no API server has. */
    record Extension() implements Other {

        private static final List<String> SEGMENTS = List.of("kubemirror", "v1", "watch");

        /** The maximum number of resources. */
        public static final int MAX_RESOURCES = 20;

        /**
         * Returns the resources that a query names, in its order and in the notation of the
         * configuration. The version is empty where the query names none. Of too many, some are
         * left out.
         */
        public static List<Resource> resources(Query query) {
            return query.values("resource").stream()
                    .limit(MAX_RESOURCES + 1)
                    .map(Extension::resource)
                    .toList();
        }

        @Override
        public boolean isWatch(Query query) {
            return true;
        }

        private static Resource resource(String name) {
            String[] parts = name.split("\\.", 3);
            if (parts.length == 3 && ResourceName.isVersion(parts[1])) {
                return new Resource(parts[2], parts[1], parts[0]);
            }
            int dot = name.indexOf('.');
            return dot < 0
                    ? new Resource("", "", name)
                    : new Resource(name.substring(dot + 1), "", name.substring(0, dot));
        }
    }

    /** A path of a discovery document. */
    sealed interface Discovery extends RequestPath {

        /** Returns the group, empty for core and for all groups. */
        default String group() {
            return "";
        }
    }

    /** {@code /api}: the versions of the core group. */
    record Versions() implements Discovery {}

    /** {@code /apis}: all groups except core. */
    record Groups() implements Discovery {}

    /** {@code /apis/apps}: one group. */
    record Group(String group) implements Discovery {}

    /**
     * {@code /api/v1}, {@code /apis/apps/v1}: the resources of a version.
     *
     * @param group the group, empty for core
     */
    record Resources(String group, String version) implements Discovery {}

    /** A path of a resource, for a get, a list, or a watch. */
    sealed interface OfResource extends RequestPath {

        Resource resource();

        String namespace();

        boolean deprecatedWatch();

        /** Objects are watched on deprecated paths only. */
        @Override
        default boolean isWatch(Query query) {
            return deprecatedWatch() || (this instanceof Collection && query.isOn("watch"));
        }
    }

    /**
     * {@code .../pods}, {@code .../namespaces/a/pods}: a list or a watch (list-watch.md#pa-1,
     * #pa-1).
     *
     * @param namespace the namespace, empty if the path has none
     * @param deprecatedWatch whether the path is a deprecated watch path (list-watch.md#pa-7)
     */
    record Collection(Resource resource, String namespace, boolean deprecatedWatch)
            implements OfResource {}

    /**
     * {@code .../pods/x}: one object (list-watch.md#pa-3).
     *
     * @param namespace the namespace, empty if the path has none
     * @param deprecatedWatch whether the path is a deprecated watch path (list-watch.md#pa-7)
     */
    record Item(Resource resource, String namespace, String name, boolean deprecatedWatch)
            implements OfResource {}

    /**
     * {@code .../pods/x/log}: a subresource of an object. None are served (list-watch.md#pa-15,
     * #pa-19).
     *
     * @param namespace the namespace, empty if the path has none
     * @param name the object's name
     * @param subresource the segments after the name
     */
    record Part(Resource resource, String namespace, String name, String subresource)
            implements Other {

        /**
         * The subresources of Kubernetes. The segments after {@code proxy} belong to the proxied
         * server.
         */
        private static final Set<String> KNOWN =
                Set.of(
                        "approval",
                        "attach",
                        "binding",
                        "ephemeralcontainers",
                        "eviction",
                        "exec",
                        "finalize",
                        "log",
                        "portforward",
                        "proxy",
                        "resize",
                        "scale",
                        "status",
                        "token");

        /** Whether any Kubernetes resource has a subresource of that name. */
        public boolean isKnown() {
            return KNOWN.contains(subresource) || subresource.startsWith("proxy/");
        }
    }

    /**
     * A path below {@code /api} or {@code /apis} that cannot be served (list-watch.md#errors).
     *
     * @param group the group, empty for core
     */
    record Unserved(String group) implements Other {}

    /** A path outside the Kubernetes API (list-watch.md#errors). */
    record Elsewhere() implements Other {}

    /** A path with a malformed escape (list-watch.md#pa-19c). */
    record Malformed() implements Other {}

    /**
     * A resource as paths name it.
     *
     * @param group the group, empty for core
     */
    record Resource(String group, String version, String plural) {

        /** Returns whether a path with this resource is for objects of a type. */
        public boolean isOf(ResourceType type) {
            return type.group().equals(group)
                    && type.version().equals(version)
                    && type.plural().equals(plural);
        }
    }

    /**
     * Parses a path. An escaped slash separates segments like any other slash
     * (list-watch.md#pa-19), and dot segments are not resolved (list-watch.md#pa-19).
     *
     * @param decoded the decoded path, empty if an escape is malformed
     */
    static RequestPath parse(Optional<String> decoded) {
        if (decoded.isEmpty()) {
            return new Malformed();
        }
        List<String> segments = segments(decoded.get());
        return switch (segments.isEmpty() ? "" : segments.getFirst()) {
            case "api" -> segments.contains("") ? new Unserved("") : core(segments);
            case "apis" -> segments.contains("") ? nameless(segments.get(1)) : named(segments);
            case "version" -> segments.size() == 1 ? new VersionPath() : new Elsewhere();
            case "kubemirror" ->
                    segments.equals(Extension.SEGMENTS) ? new Extension() : new Elsewhere();
            default -> new Elsewhere();
        };
    }

    private static RequestPath nameless(String group) {
        return group.isEmpty() ? new Elsewhere() : new Unserved(group);
    }

    private static List<String> segments(String path) {
        int start = path.startsWith("/") ? 1 : 0;
        int end = path.length() > 1 && path.endsWith("/") ? path.length() - 1 : path.length();
        return start >= end ? List.of() : List.of(path.substring(start, end).split("/", -1));
    }

    private static RequestPath core(List<String> segments) {
        return segments.size() == 1
                ? new Versions()
                : versioned("", segments.get(1), segments.subList(2, segments.size()));
    }

    private static RequestPath named(List<String> segments) {
        return switch (segments.size()) {
            case 1 -> new Groups();
            case 2 -> new Group(segments.get(1));
            default ->
                    versioned(
                            segments.get(1), segments.get(2), segments.subList(3, segments.size()));
        };
    }

    private static RequestPath versioned(String group, String version, List<String> rest) {
        if (rest.isEmpty()) {
            return new Resources(group, version);
        }
        if (rest.getFirst().equals("proxy")) {
            // Authorized with the verb proxy, never as a read of what follows.
            return new Unserved(group);
        }
        boolean watch = rest.getFirst().equals("watch");
        List<String> tail = watch ? rest.subList(1, rest.size()) : rest;
        String namespace = "";
        if (isInNamespace(tail)) {
            namespace = tail.get(1);
            tail = tail.subList(2, tail.size());
        }
        if (tail.isEmpty() || !ObjectKey.isSegment(namespace)) {
            return new Unserved(group);
        }
        Resource resource = new Resource(group, version, tail.getFirst());
        return switch (tail.size()) {
            case 1 -> new Collection(resource, namespace, watch);
            case 2 -> new Item(resource, namespace, tail.get(1), watch);
            default ->
                    new Part(
                            resource,
                            namespace,
                            tail.get(1),
                            String.join("/", tail.subList(2, tail.size())));
        };
    }

    /**
     * Returns whether segments after the version name something in a namespace. Status and finalize
     * look like resources in a namespace but are subresources of the namespace
     * (list-watch.md#pa-3).
     */
    static boolean isInNamespace(List<String> tail) {
        return tail.size() > 2
                && tail.getFirst().equals("namespaces")
                && !tail.get(2).equals("status")
                && !tail.get(2).equals("finalize");
    }
}
