package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;

/** The result of authenticating and authorizing a request. */
public sealed interface AccessDecision {

    /**
     * The request is allowed.
     *
     * @param identity the authenticated client
     */
    record Admitted(Identity identity) implements AccessDecision {}

    /** The client could not be authenticated. */
    record Unauthenticated() implements AccessDecision {}

    /**
     * The client is authenticated but not authorized.
     *
     * @param identity the authenticated client
     * @param permission the requested operation
     * @param reason the reason for the denial, empty if none was given
     */
    record Forbidden(Identity identity, Permission permission, String reason)
            implements AccessDecision {}

    /**
     * The decision cannot be made at the moment.
     *
     * @param why the cause, in one line without credentials
     */
    record Unavailable(String why) implements AccessDecision {}
}
