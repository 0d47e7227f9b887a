package io.kubemirror.kube;

import module java.base;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source;

/**
 * The review API of the API server, which authenticates and authorizes other clients. Calls use the
 * credentials of this process, which need the permissions of {@code system:auth-delegator}, or the
 * token of the client, which needs those of {@code system:basic-user}.
 *
 * <p>Calls block as those of {@link Source} do, but no longer than their limit. All methods may be
 * called from any number of threads.
 */
public interface ReviewApi {

    /**
     * Determines the identity that a token belongs to; empty if the token is invalid or not issued
     * for an accepted audience.
     *
     * @param limit the timeout of the request
     */
    Result<Optional<Identity>> identify(BearerToken token, Duration limit);

    /**
     * Determines whether an identity may perform an operation.
     *
     * @param limit the timeout of the request
     */
    Result<AccessReview> review(Identity identity, Permission permission, Duration limit);

    /**
     * Determines whether the owner of a token may perform an operation; empty if the token is
     * invalid. Uses the token, and no credentials of this process.
     *
     * @param token without audiences
     * @param limit the timeout of the request
     */
    Result<Optional<AccessReview>> review(BearerToken token, Permission permission, Duration limit);

    /**
     * Determines the owner of a token; empty if it is invalid. Uses the token, and no credentials
     * of this process.
     *
     * @param token without audiences
     * @param limit the timeout of the request
     */
    Result<Optional<Identity>> owner(BearerToken token, Duration limit);

    /**
     * The server's decision about an operation.
     *
     * @param allowed whether the operation is permitted
     * @param reason the reason given by the authorizer; often empty
     */
    record AccessReview(boolean allowed, String reason) {}

    /**
     * A bearer token. The string representation does not reveal it.
     *
     * @param value the token as sent
     * @param audiences the accepted audiences, of which the token must have one; empty for those of
     *     the API server
     */
    record BearerToken(String value, List<String> audiences) {

        /** Copies the audiences. */
        public BearerToken {
            audiences = List.copyOf(audiences);
        }

        @Override
        public String toString() {
            return "a token";
        }
    }
}
