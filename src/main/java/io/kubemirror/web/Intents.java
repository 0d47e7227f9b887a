package io.kubemirror.web;

import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.Intent;
import io.kubemirror.model.SelectorException;

import jakarta.servlet.http.HttpServletRequest;

import java.util.Optional;
import java.util.stream.Stream;

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

    /** The longest name that any object, namespace, group or resource can have. */
    private static final int LONGEST_NAME = 253;

    /** Longer than any path that is served without being a resource's. */
    private static final int LONGEST_PATH = 1_024;

    /**
     * What is answered to those who want what cannot exist, empty for what can: nobody is asked
     * about it, since there are as many impossible names as a client likes. A name is any segment
     * of a path, as the API server takes it, since some kinds have colons in theirs.
     */
    static Optional<Reply> impossible(Intent intent) {
        return switch (intent) {
            case Intent.OnPath(String path) ->
                    path.length() > LONGEST_PATH ? Optional.of(Reply.NOT_A_PAGE) : Optional.empty();
            case Intent.OnResource wanted -> impossible(wanted);
        };
    }

    private static Optional<Reply> impossible(Intent.OnResource wanted) {
        boolean type =
                Stream.of(wanted.group(), wanted.version(), wanted.resource())
                        .allMatch(Intents::isPossible);
        if (!type) {
            return Optional.of(Reply.NOT_A_PAGE);
        }
        return isPossible(wanted.namespace()) && isPossible(wanted.name())
                ? Optional.empty()
                : Optional.of(Reply.of(StatusErrors.impossibleName(LONGEST_NAME)));
    }

    private static boolean isPossible(String name) {
        return name.length() <= LONGEST_NAME;
    }

    /** A permission for one object is enough where a selector lets no other match. */
    private static String name(String fieldSelector) {
        if (fieldSelector.length() > Bounds.SELECTOR) {
            return "";
        }
        try {
            return FieldSelector.parse(fieldSelector)
                    .required("metadata.name")
                    .filter(Intents::isPossible)
                    .orElse("");
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
