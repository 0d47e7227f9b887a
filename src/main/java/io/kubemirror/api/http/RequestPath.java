package io.kubemirror.api.http;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the path of a request asks for (list-watch.md#paths). Whether it is mirrored, or exists at
 * all, is not known here.
 */
public sealed interface RequestPath {

    /** {@code /version}: the version of the API server. */
    record VersionPath() implements RequestPath {}

    /** {@code /api}: the versions of the core group. */
    record Versions() implements RequestPath {}

    /** {@code /apis}: all groups but core. */
    record Groups() implements RequestPath {}

    /**
     * {@code /apis/apps}: one group.
     *
     * @param group the group
     */
    record Group(String group) implements RequestPath {}

    /**
     * {@code /api/v1}, {@code /apis/apps/v1}: the resources of a version.
     *
     * @param group the group, empty for core
     * @param version the version
     */
    record Resources(String group, String version) implements RequestPath {}

    /**
     * {@code .../pods}, {@code .../namespaces/a/pods}: a list or a watch (list-watch.md#pa-1,
     * #pa-2).
     *
     * @param resource which resource
     * @param namespace the namespace, empty for none in the path
     * @param deprecatedWatch whether the path itself says that it is a watch (list-watch.md#pa-7)
     */
    record Collection(Resource resource, String namespace, boolean deprecatedWatch)
            implements RequestPath {}

    /**
     * {@code .../pods/x}: one object (list-watch.md#pa-3, #pa-4).
     *
     * @param resource which resource
     * @param namespace the namespace, empty for none in the path
     * @param name the object's name
     * @param deprecatedWatch whether the path itself says that it is a watch (list-watch.md#pa-8)
     */
    record Item(Resource resource, String namespace, String name, boolean deprecatedWatch)
            implements RequestPath {}

    /**
     * {@code .../pods/x/log}: a subresource of an object, of which none is served
     * (list-watch.md#pa-15, #pa-19a).
     *
     * @param resource which resource
     * @param namespace the namespace, empty for none in the path
     * @param name the object's name
     * @param subresource what follows the name
     */
    record Part(Resource resource, String namespace, String name, String subresource)
            implements RequestPath {

        /** What objects may have; what follows {@code proxy} is a path of somebody else. */
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

        /** Whether Kubernetes has a subresource of that name, for whichever resource. */
        public boolean isKnown() {
            return KNOWN.contains(subresource) || subresource.startsWith("proxy/");
        }
    }

    /**
     * A path below {@code /api} or {@code /apis} which cannot be served (list-watch.md#errors).
     *
     * @param group the group, empty for core
     */
    record Unserved(String group) implements RequestPath {}

    /** A path outside the Kubernetes API (list-watch.md#errors). */
    record Elsewhere() implements RequestPath {}

    /** A path with a malformed escape (list-watch.md#pa-19c). */
    record Malformed() implements RequestPath {}

    /**
     * A resource as paths name it.
     *
     * @param group the group, empty for core
     * @param version the version
     * @param plural the plural
     */
    record Resource(String group, String version, String plural) {}

    /**
     * What looks like a resource in a namespace but belongs to the namespace itself
     * (list-watch.md#pa-4).
     */
    Set<String> NAMESPACE_SUBRESOURCES = Set.of("status", "finalize");

    /**
     * Reads a path; an escaped slash separates segments like any other (list-watch.md#pa-19a), and
     * dots are never resolved (list-watch.md#pa-19).
     *
     * @param uri the path as it was sent
     */
    static RequestPath parse(String uri) {
        Optional<String> decoded = PercentEncoding.decodePath(uri);
        if (decoded.isEmpty()) {
            return new Malformed();
        }
        List<String> segments = segments(decoded.get());
        return switch (segments.isEmpty() ? "" : segments.getFirst()) {
            case "api" -> segments.contains("") ? new Unserved("") : core(segments);
            case "apis" -> segments.contains("") ? nameless(segments.get(1)) : named(segments);
            case "version" -> segments.size() == 1 ? new VersionPath() : new Elsewhere();
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
            // Authorized as the proxy verb of what follows, never as reading it.
            return new Unserved(group);
        }
        boolean watch = rest.getFirst().equals("watch");
        List<String> tail = watch ? rest.subList(1, rest.size()) : rest;
        String namespace = "";
        if (isInNamespace(tail)) {
            namespace = tail.get(1);
            tail = tail.subList(2, tail.size());
        }
        if (tail.isEmpty() || !canBeNamespace(namespace)) {
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

    private static boolean isInNamespace(List<String> tail) {
        return tail.size() > 2
                && tail.getFirst().equals("namespaces")
                && !NAMESPACE_SUBRESOURCES.contains(tail.get(2));
    }

    private static boolean canBeNamespace(String namespace) {
        return !namespace.equals(".") && !namespace.equals("..") && namespace.indexOf('%') < 0;
    }
}
