package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.api.http.Query;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.model.ResourceType;

/**
 * A request as it arrived at a {@link ScriptedApiServer}.
 *
 * @param method the HTTP method
 * @param path the decoded path
 * @param query the parameters
 * @param headers the header fields with names in lower case
 * @param body the body, empty if there is none
 * @param route what the path means
 */
public record ReceivedRequest(
        String method,
        String path,
        Query query,
        Map<String, String> headers,
        String body,
        Route route) {

    static ReceivedRequest of(
            String method, String target, Map<String, String> headers, String body) {
        String[] parts = target.split("\\?", 2);
        Optional<String> path = Query.decoded(parts[0]);
        Query query = Query.parse(parts.length < 2 ? null : parts[1]);
        Route route = Route.of(RequestPath.parse(path));
        return new ReceivedRequest(method, path.orElse(""), query, headers, body, route);
    }

    /** What requests want. */
    public enum RequestVerb {
        /** To read a collection or a page of it. */
        LIST,
        /** To follow a collection. */
        WATCH,
        /** To read one object. */
        GET,
        /** To learn what is served. */
        DISCOVERY,
        /** To change something. */
        WRITE,
        /** Health, version and what is not known. */
        OTHER
    }

    /** What the request wants. */
    public RequestVerb verb() {
        if (!method.equals("GET")) {
            return RequestVerb.WRITE;
        }
        return switch (route.path()) {
            case RequestPath.Discovery _ -> RequestVerb.DISCOVERY;
            case RequestPath.OfResource read when read.isWatch(query) -> RequestVerb.WATCH;
            case RequestPath.Collection _ -> RequestVerb.LIST;
            case RequestPath.Item _, RequestPath.Part _ -> RequestVerb.GET;
            case RequestPath _ -> RequestVerb.OTHER;
        };
    }

    /** Whether it is about the type. */
    public boolean isOf(ResourceType type) {
        return route.resource().isOf(type);
    }

    /** The parameter, empty if it is absent. */
    public String parameter(String name) {
        return query.text(name);
    }

    /** Whether the parameter is there and true. */
    public boolean isTrue(String parameter) {
        return query.isOn(parameter);
    }

    /** The header field, empty if it is absent. */
    public String header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
}
