package io.kubemirror.feature.forward;

import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;

import java.util.Map;
import java.util.Set;

/**
 * What a request does that is passed on with the identity of kubemirror: its verb, or what it does
 * with a container or a program behind the API server, whatever its method is.
 */
public enum OwnVerb {
    /** Reads an object, or a path that is not a resource. */
    GET,
    /** Reads a collection. */
    LIST,
    /** Receives the changes of a collection. */
    WATCH,
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
    /** Sends something to a path that is not a resource. */
    POST,
    /** Replaces what is at a path that is not a resource. */
    PUT,
    /** Gets the headers of a path that is not a resource. */
    HEAD,
    /** Runs a command in a container. */
    EXEC,
    /** Connects to the process of a container. */
    ATTACH,
    /** Connects to a port of a pod. */
    PORTFORWARD,
    /** Sends a request to a pod, a service, or a node. */
    PROXY,
    /** Impersonates another user. */
    IMPERSONATE;

    /** Those that have to be named. */
    private static final Set<OwnVerb> NAMED = Set.of(EXEC, ATTACH, PORTFORWARD, PROXY, IMPERSONATE);

    private static final Map<String, OwnVerb> SUBRESOURCES =
            Map.of("exec", EXEC, "attach", ATTACH, "portforward", PORTFORWARD, "proxy", PROXY);

    /** Whether requests are passed on if no verbs are configured. */
    boolean isByDefault() {
        return !NAMED.contains(this);
    }

    /**
     * Returns what a request does. One that changes the protocol creates a connection, unless it
     * reads a log or watches.
     *
     * @param upgrade whether it asks to change the protocol
     */
    static OwnVerb of(Permission permission, boolean upgrade) {
        OwnVerb verb = of(permission.verb());
        if (!(permission instanceof Permission.OnResource wanted)) {
            return verb;
        }
        String subresource = wanted.subresource();
        boolean reads = subresource.isEmpty() || subresource.equals("log");
        boolean connects = upgrade && verb == GET && !reads;
        return SUBRESOURCES.getOrDefault(subresource, connects ? CREATE : verb);
    }

    private static OwnVerb of(Verb verb) {
        return switch (verb) {
            case GET -> GET;
            case LIST -> LIST;
            case WATCH -> WATCH;
            case PROXY -> PROXY;
            case CREATE -> CREATE;
            case UPDATE -> UPDATE;
            case PATCH -> PATCH;
            case DELETE -> DELETE;
            case DELETECOLLECTION -> DELETECOLLECTION;
            case IMPERSONATE -> IMPERSONATE;
            case POST -> POST;
            case PUT -> PUT;
            case HEAD -> HEAD;
        };
    }
}
