package io.kubemirror.feature.forward;

import io.kubemirror.api.http.AccessControl;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import java.util.List;

/**
 * Requests that kubemirror does not answer itself: writes, subresources, and resources that are not
 * mirrored.
 *
 * @param mode Whether such requests are passed on to the API server, and with which identity.
 *     client: with the credentials that the client sends. own: with those of kubemirror, which only
 *     an API that listens on loopback may do.
 * @param ownVerbs Verbs of the requests that are passed on with kubemirror's identity. Default: all
 *     but exec, attach, portforward, proxy, and impersonate, which have to be named.
 * @param anonymousReads Whether reads of mirrored types need no credentials in the mode client.
 *     Otherwise they are answered to clients that the API server permits them. Not needed with
 *     kubemirror.access, which decides about them then.
 */
public record PassThroughProperties(
        @DefaultValue("off") Mode mode,
        @DefaultValue List<OwnVerb> ownVerbs,
        @DefaultValue("false") boolean anonymousReads)
        implements AccessControl.Demand {

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
        if (mode != Mode.OWN && !ownVerbs.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.pass-through.own-verbs",
                    ownVerbs,
                    "is not used; set kubemirror.pass-through.mode=own, or remove it");
        }
        if (mode != Mode.CLIENT && anonymousReads) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.pass-through.anonymous-reads",
                    anonymousReads,
                    "is not used; set kubemirror.pass-through.mode=client, or remove it");
        }
    }

    /** Returns properties that pass nothing on. */
    public static PassThroughProperties off() {
        return new PassThroughProperties(Mode.OFF, List.of(), false);
    }

    /**
     * Whether the API server decides about reads of mirrored types, by the credentials of the
     * client, unless access is configured.
     */
    @Override
    public boolean needsCredentials() {
        return mode == Mode.CLIENT && !anonymousReads;
    }

    /** Whether requests with a verb are passed on with kubemirror's identity. */
    boolean isOwn(OwnVerb verb) {
        return ownVerbs.isEmpty() ? verb.isByDefault() : ownVerbs.contains(verb);
    }
}
