package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.ResourceType;

/**
 * A path as kubemirror parses it, regardless of whether its type is served.
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
        return switch (RequestPath.parse(Optional.of(path))) {
            case RequestPath.Versions _, RequestPath.Groups _ -> place(Place.ROOT, "", "");
            case RequestPath.Group(String group) -> place(Place.GROUP, group, "");
            case RequestPath.Resources(String group, String version) ->
                    place(Place.VERSION, group, version);
            case RequestPath.Collection(var resource, String namespace, boolean watch) ->
                    of(resource, namespace, "", "", watch);
            case RequestPath.Item(var resource, String namespace, String name, boolean watch) ->
                    of(resource, namespace, name, "", watch);
            case RequestPath.Part(var resource, var namespace, var name, var subresource) ->
                    of(resource, namespace, name, subresource, false);
            case RequestPath _ -> place(Place.OTHER, "", "");
        };
    }

    private static Route place(Place place, String group, String version) {
        return new Route(place, group, version, "", "", "", "", false);
    }

    private static Route of(
            RequestPath.Resource resource,
            String namespace,
            String name,
            String subresource,
            boolean watch) {
        return new Route(
                Place.RESOURCE,
                resource.group(),
                resource.version(),
                resource.plural(),
                namespace,
                name,
                subresource,
                watch);
    }

    /** Whether the path names the type's collection, a part of it or one of its objects. */
    public boolean isOf(ResourceType type) {
        return place == Place.RESOURCE
                && group.equals(type.group())
                && version.equals(type.version())
                && plural.equals(type.plural());
    }
}
