package io.kubemirror.app;

import static io.kubemirror.app.MirrorProperties.refuse;

import module java.base;

import io.kubemirror.model.Permission.Verb;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

/**
 * Requests that kubemirror does not answer itself: writes, subresources, and resources that are not
 * mirrored.
 *
 * @param mode [KEY] Whether requests are passed on to the API server, with the credentials of the
 *     client or with the own credentials of kubemirror.
 * @param ownVerbs Verbs of the requests that are passed on in the mode own; proxy also stands for
 *     exec, attach, and portforward. Default: all except proxy and impersonate.
 * @param anonymousReads Whether reads of mirrored types need no credentials in the mode client.
 */
public record PassThroughProperties(
        @DefaultValue("off") Mode mode,
        @DefaultValue List<Verb> ownVerbs,
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
    public boolean isOwn(Verb verb) {
        return ownVerbs.isEmpty()
                ? verb != Verb.PROXY && verb != Verb.IMPERSONATE
                : ownVerbs.contains(verb);
    }
}
