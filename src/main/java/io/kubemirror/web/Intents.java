package io.kubemirror.web;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.Intent;
import io.kubemirror.model.SelectorException;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Reads what a request wants, as the API server reads it to decide about permissions. Whatever the
 * method, it is reading: nothing else is served, and who may not read is not told what is mirrored.
 */
final class Intents {

    private Intents() {}

    /** What a request wants. */
    static Intent of(HttpServletRequest request) {
        String uri = request.getRequestURI();
        Query query = Query.parse(request.getQueryString());
        return switch (RequestPath.parse(uri)) {
            case RequestPath.Collection path -> collection(path, query);
            case RequestPath.Item path ->
                    resource(
                            path.deprecatedWatch() ? "watch" : "get",
                            path.resource(),
                            path.namespace(),
                            path.name());
            case RequestPath.Part path ->
                    resource("get", path.resource(), path.namespace(), path.name());
            case RequestPath.ServerVersion _,
                    RequestPath.Versions _,
                    RequestPath.Groups _,
                    RequestPath.Group _,
                    RequestPath.Resources _,
                    RequestPath.Unserved _,
                    RequestPath.Elsewhere _,
                    RequestPath.Malformed _ ->
                    new Intent.OnPath(PercentEncoding.decodePath(uri).orElse(uri));
        };
    }

    private static Intent collection(RequestPath.Collection path, Query query) {
        boolean watch = path.deprecatedWatch() || query.isOn("watch");
        return resource(
                watch ? "watch" : "list",
                path.resource(),
                path.namespace(),
                name(query.text("fieldSelector")));
    }

    /** A permission for one object is enough where a selector lets no other match. */
    private static String name(String fieldSelector) {
        try {
            return FieldSelector.parse(fieldSelector).required("metadata.name").orElse("");
        } catch (SelectorException malformed) {
            return "";
        }
    }

    /** A namespace belongs to itself, so that a role in it may permit to get it. */
    private static Intent resource(
            String verb, RequestPath.Resource resource, String namespace, String name) {
        boolean itself = resource.group().isEmpty() && resource.plural().equals("namespaces");
        return new Intent.OnResource(
                verb,
                resource.group(),
                resource.version(),
                resource.plural(),
                itself ? name : namespace,
                name);
    }
}
