package io.kubemirror.testing.scripted;

import module java.base;

import io.kubemirror.model.ResourceType;

/**
 * A request as it arrived at a {@link ScriptedApiServer}.
 *
 * @param method the HTTP method
 * @param path the decoded path
 * @param query the decoded parameters, of repeated ones the first
 * @param headers the header fields with names in lower case
 * @param body the body, empty if there is none
 * @param route what the path means
 */
public record ReceivedRequest(
        String method,
        String path,
        Map<String, String> query,
        Map<String, String> headers,
        String body,
        Route route) {

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
        return switch (route.place()) {
            case ROOT, GROUP, VERSION -> RequestVerb.DISCOVERY;
            case RESOURCE -> reading();
            case OTHER -> RequestVerb.OTHER;
        };
    }

    private RequestVerb reading() {
        if (route.watchPath()) {
            return RequestVerb.WATCH;
        }
        if (!route.name().isEmpty()) {
            return RequestVerb.GET;
        }
        return isTrue("watch") ? RequestVerb.WATCH : RequestVerb.LIST;
    }

    /** Whether it is about the type. */
    public boolean isOf(ResourceType type) {
        return route.isOf(type);
    }

    /** The parameter, empty if it is absent. */
    public String parameter(String name) {
        return query.getOrDefault(name, "");
    }

    /**
     * Whether the parameter is there and true, which everything is but 0 and false
     * (list-watch.md#de-1).
     */
    public boolean isTrue(String parameter) {
        String value = query.get(parameter);
        return value != null && !value.equals("0") && !value.equalsIgnoreCase("false");
    }

    /** The header field, empty if it is absent. */
    public String header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
}
