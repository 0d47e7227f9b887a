package io.kubemirror.api.passthrough;

import io.kubemirror.model.Permission.Verb;

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
 * @param ownVerbs Verbs of the requests that are passed on with kubemirror's identity.
 */
public record PassThroughProperties(
        @DefaultValue("off") Mode mode,
        @DefaultValue({
                    "get",
                    "list",
                    "watch",
                    "create",
                    "update",
                    "patch",
                    "delete",
                    "deletecollection",
                    "proxy",
                    "head",
                    "post",
                    "put"
                })
                List<Verb> ownVerbs) {

    /** With which identity requests are passed on. */
    public enum Mode {
        /** They are not passed on. */
        OFF,
        /** With the credentials of the client, and without any of kubemirror. */
        CLIENT,
        /** With the credentials of kubemirror. */
        OWN
    }

    /** Rejects an empty list of verbs, which would refuse everything. */
    public PassThroughProperties {
        ownVerbs = List.copyOf(ownVerbs);
        if (ownVerbs.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    "kubemirror.pass-through.own-verbs",
                    null,
                    "is empty; name at least one verb, or set kubemirror.pass-through.mode=off");
        }
    }

    /** Returns properties that pass nothing on. */
    public static PassThroughProperties off() {
        return new PassThroughProperties(Mode.OFF, List.of(Verb.GET));
    }
}
