package io.kubemirror.testing.scripted;

import io.kubemirror.api.http.RequestPath;

/**
 * A path as kubemirror parses it, regardless of whether its type is served.
 *
 * @param path the parsed path
 * @param resource the resource, with an empty name if the path names none
 * @param namespace the namespace, empty for all or cluster scope
 * @param name the object, empty for a collection
 */
public record Route(
        RequestPath path, RequestPath.Resource resource, String namespace, String name) {

    static Route of(RequestPath path) {
        return switch (path) {
            case RequestPath.Collection(var resource, var namespace, _) ->
                    new Route(path, resource, namespace, "");
            case RequestPath.Item(var resource, var namespace, var name, _) ->
                    new Route(path, resource, namespace, name);
            case RequestPath.Part(var resource, var namespace, var name, _) ->
                    new Route(path, resource, namespace, name);
            case RequestPath _ -> new Route(path, new RequestPath.Resource("", "", ""), "", "");
        };
    }
}
