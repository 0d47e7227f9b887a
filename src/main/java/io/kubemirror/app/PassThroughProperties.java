package io.kubemirror.app;

import static io.kubemirror.app.PropertyChecks.refuse;

import module java.base;

import io.kubemirror.model.Permission;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

/**
 * Requests that kubemirror does not answer itself: writes, subresources, and resources that are not
 * mirrored.
 *
 * @param mode [KEY] Whether requests are passed on to the API server, with the credentials of the
 *     client or with the own credentials of kubemirror.
 * @param ownVerbs Verbs of the requests that are passed on in the mode own. Default: all except
 *     exec, attach, portforward, proxy, and impersonate.
 * @param anonymousReads Whether reads of mirrored types need no credentials in the mode client.
 */
public record PassThroughProperties(
        @DefaultValue("off") Mode mode,
        @DefaultValue List<OwnVerb> ownVerbs,
        @DefaultValue("false") boolean anonymousReads) {

    private static final String AT = "kubemirror.pass-through.";

    /** With which identity requests are passed on. */
    public enum Mode {
        /** They are not passed on. */
        OFF,
        /** With the credentials of the client, and without any of kubemirror. */
        CLIENT,
        /** With the credentials of kubemirror. */
        OWN
    }

    /** Rejects settings that are not used. */
    public PassThroughProperties {
        ownVerbs = List.copyOf(ownVerbs);
        refuse(
                mode != Mode.OWN && !ownVerbs.isEmpty(),
                AT + "own-verbs",
                "is not used; set kubemirror.pass-through.mode=own, or remove it");
        refuse(
                mode != Mode.CLIENT && anonymousReads,
                AT + "anonymous-reads",
                "is not used; set kubemirror.pass-through.mode=client, or remove it");
    }

    /**
     * Refuses to pass requests on with the identity of kubemirror for clients on the network, for
     * web pages, and where a mirror hides what the API server shows.
     *
     * @param all the configuration that these properties are a part of
     */
    void check(ServerProperties server, MirrorProperties all) {
        boolean own = mode == Mode.OWN;
        refuse(
                own && !ListenerConfiguration.isLoopback(server),
                AT + "mode",
                "every client that can reach an address other than loopback would act with the"
                        + " identity of kubemirror; set server.address=127.0.0.1, or use client");
        refuse(
                own && all.allowedHosts().contains("*"),
                "kubemirror.allowed-hosts",
                "lets every web page that points a name at kubemirror act with its identity;"
                        + " name the hosts, or set kubemirror.pass-through.mode to client");
        refuse(
                own && all.resources().stream().anyMatch(ResourceProperties::hidesBeyondMetadata),
                AT + "mode",
                "answers of the API server would show what kubemirror.resources leave out; leave"
                        + " out members of metadata only, or use another mode");
    }

    /**
     * Whether the API server decides about reads of mirrored types, by the credentials of the
     * client, unless access is configured.
     */
    public boolean needsCredentials() {
        return mode == Mode.CLIENT && !anonymousReads;
    }

    /** Whether requests with a verb are passed on with kubemirror's identity. */
    public boolean isOwn(OwnVerb verb) {
        return ownVerbs.isEmpty() ? verb.isByDefault() : ownVerbs.contains(verb);
    }

    /**
     * What a request does that is passed on with the identity of kubemirror: its verb, or what it
     * does with a container or a program behind the API server, whatever its method is.
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
        private static final Set<OwnVerb> NAMED =
                Set.of(EXEC, ATTACH, PORTFORWARD, PROXY, IMPERSONATE);

        private static final Map<String, OwnVerb> SUBRESOURCES =
                Map.of("exec", EXEC, "attach", ATTACH, "portforward", PORTFORWARD, "proxy", PROXY);

        /** Whether requests are passed on if no verbs are configured. */
        boolean isByDefault() {
            return !NAMED.contains(this);
        }

        /**
         * Returns what a request does. One that changes the protocol creates a connection, unless
         * it reads a log or watches.
         *
         * @param upgrade whether it asks to change the protocol
         */
        public static OwnVerb of(Permission permission, boolean upgrade) {
            OwnVerb verb = valueOf(permission.verb().name());
            if (!(permission instanceof Permission.OnResource wanted)) {
                return verb;
            }
            String subresource = wanted.subresource();
            boolean reads = subresource.isEmpty() || subresource.equals("log");
            boolean connects = upgrade && verb == GET && !reads;
            return SUBRESOURCES.getOrDefault(subresource, connects ? CREATE : verb);
        }
    }
}
