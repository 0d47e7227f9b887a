package io.kubemirror.api.http;

import module java.base;

import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;

/**
 * Decides who may read. May be used from any thread. Without a bean of this type, access is open.
 */
public interface AccessControl {

    /** Every request may read everything. */
    AccessControl OPEN =
            new AccessControl() {
                @Override
                public boolean isOpen() {
                    return true;
                }

                @Override
                public AccessDecision check(Credentials credentials, Permission permission) {
                    return new AccessDecision.Admitted("");
                }
            };

    /** Whether no credentials are required. */
    boolean isOpen();

    /** Returns the interval at which the permissions of open watches are checked again. */
    default Duration recheckInterval() {
        return Duration.ofMinutes(1);
    }

    /**
     * Decides about a request, or about an open watch. May wait for the API server, for a limited
     * time.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    AccessDecision check(Credentials credentials, Permission permission)
            throws InterruptedException;

    /** The result of authenticating and authorizing a request. */
    sealed interface AccessDecision {

        /**
         * The request is allowed.
         *
         * @param user the name of the client, empty if it is not known
         */
        record Admitted(String user) implements AccessDecision {}

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
}
