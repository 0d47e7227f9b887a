package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.model.ResourceType;

/**
 * A parsed path, regardless of whether its type is served.
 *
 * @param place what kind of thing the path names
 * @param group the API group, empty for core
 * @param version the version, empty if the path names none
 * @param plural the resource, empty if the path names none
 * @param namespace the namespace, empty for all or cluster scope
 * @param name the object, empty for a collection
 * @param subresource what follows the name, possibly empty
 * @param watchPath whether the path is one of the deprecated {@code /watch/} ones
 *     (list-watch.md#pa-7)
 */
public record Route(
        Place place,
        String group,
        String version,
        String plural,
        String namespace,
        String name,
        String subresource,
        boolean watchPath) {

    /** The kinds of things that paths name. */
    public enum Place {
        /** {@code /api} and {@code /apis}. */
        ROOT,
        /** {@code /apis/<group>}. */
        GROUP,
        /** {@code /api/v1} and {@code /apis/<group>/<version>}. */
        VERSION,
        /** A collection or an object. */
        RESOURCE,
        /** Anything else. */
        OTHER
    }

    /** Parses a path without its query. */
    public static Route of(String path) {
        List<String> segments = List.of(path.substring(1).split("/"));
        return switch (segments.getFirst()) {
            case "api" -> core(segments);
            case "apis" -> named(segments);
            case String _ -> place(Place.OTHER, "", "");
        };
    }

    private static Route core(List<String> segments) {
        return segments.size() == 1
                ? place(Place.ROOT, "", "")
                : resource("", segments.get(1), segments.subList(2, segments.size()));
    }

    private static Route named(List<String> segments) {
        if (segments.size() < 3) {
            Place place = segments.size() == 1 ? Place.ROOT : Place.GROUP;
            return place(place, at(segments, 1), "");
        }
        List<String> rest = segments.subList(3, segments.size());
        return resource(segments.get(1), segments.get(2), rest);
    }

    private static Route place(Place place, String group, String version) {
        return new Route(place, group, version, "", "", "", "", false);
    }

    private static Route resource(String group, String version, List<String> rest) {
        if (rest.isEmpty()) {
            return place(Place.VERSION, group, version);
        }
        boolean watch = rest.getFirst().equals("watch");
        List<String> path = watch ? rest.subList(1, rest.size()) : rest;
        boolean inNamespace =
                path.size() > 2
                        && path.getFirst().equals("namespaces")
                        && !List.of("status", "finalize").contains(path.get(2));
        String namespace = inNamespace ? path.get(1) : "";
        List<String> tail = inNamespace ? path.subList(2, path.size()) : path;
        return new Route(
                Place.RESOURCE,
                group,
                version,
                at(tail, 0),
                namespace,
                at(tail, 1),
                at(tail, 2),
                watch);
    }

    private static String at(List<String> segments, int index) {
        return index < segments.size() ? segments.get(index) : "";
    }

    /** Whether the path names the type's collection, a part of it or one of its objects. */
    public boolean isOf(ResourceType type) {
        return place == Place.RESOURCE
                && group.equals(type.group())
                && version.equals(type.version())
                && plural.equals(type.plural());
    }
}
