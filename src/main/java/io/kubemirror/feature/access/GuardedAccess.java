package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.app.AccessProperties;
import io.kubemirror.app.AccessProperties.AuthenticationMethod;
import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Result;

/**
 * Authenticates every request, and lets the API server authorize it.
 *
 * <p>If no authentication method is configured, it asks the API server with the client's own token
 * what its owner may do. One request authenticates and authorizes then, and kubemirror needs no
 * permission for it.
 */
final class GuardedAccess implements AccessControl {

    /** The owner of a token who may not ask who they are. */
    private static final Identity UNNAMED = new Identity("", "", List.of(), Map.of());

    private final AccessProperties properties;
    private final ClientCertificates certificates;
    private final Reviewer reviewer;

    GuardedAccess(AccessProperties properties, ClientCertificates certificates, Reviewer reviewer) {
        this.properties = properties;
        this.certificates = certificates;
        this.reviewer = reviewer;
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public Duration recheckInterval() {
        return properties.recheckInterval();
    }

    @Override
    public AccessDecision check(Credentials credentials, Permission permission)
            throws InterruptedException {
        return properties.authentication().isEmpty()
                ? ofOwner(credentials, permission)
                : ofIdentity(credentials, permission);
    }

    private AccessDecision ofOwner(Credentials credentials, Permission permission)
            throws InterruptedException {
        String token = credentials.token();
        if (token == null) {
            return new AccessDecision.Unauthenticated();
        }
        return switch (reviewer.reviewOwner(token, permission)) {
            case Result.Success(var review) when review.isEmpty() ->
                    new AccessDecision.Unauthenticated();
            case Result.Success(var review) when review.get().allowed() ->
                    // Nobody has asked who the client is.
                    new AccessDecision.Admitted("");
            case Result.Success(var review) ->
                    new AccessDecision.Forbidden(owner(token), permission, review.get().reason());
            case Result.Failed(var failure) -> new AccessDecision.Unavailable(failure.summary());
        };
    }

    /** Returns the name that a denial mentions. */
    private Identity owner(String token) throws InterruptedException {
        return switch (reviewer.owner(token)) {
            case Result.Success(var owner) -> owner.orElse(UNNAMED);
            case Result.Failed(_) -> UNNAMED;
        };
    }

    private AccessDecision ofIdentity(Credentials credentials, Permission permission)
            throws InterruptedException {
        return switch (identify(credentials)) {
            case Result.Success(var identity) when identity.isEmpty() ->
                    new AccessDecision.Unauthenticated();
            case Result.Success(var identity) -> authorize(identity.get(), permission);
            case Result.Failed(var failure) -> new AccessDecision.Unavailable(failure.summary());
        };
    }

    /** A certificate is looked at first, because that asks nobody. */
    private Result<Optional<Identity>> identify(Credentials credentials)
            throws InterruptedException {
        if (properties.authentication().contains(AuthenticationMethod.CLIENT_CERTIFICATE)) {
            Optional<Identity> named = certificates.identity(credentials);
            if (named.isPresent()) {
                return Result.of(named);
            }
        }
        String token = credentials.token();
        return token != null
                        && properties.authentication().contains(AuthenticationMethod.TOKEN_REVIEW)
                ? reviewer.identify(token)
                : Result.of(Optional.empty());
    }

    private AccessDecision authorize(Identity identity, Permission permission)
            throws InterruptedException {
        return switch (reviewer.review(identity, permission)) {
            case Result.Success(AccessReview(boolean allowed, String reason)) ->
                    allowed
                            ? new AccessDecision.Admitted(identity.name())
                            : new AccessDecision.Forbidden(identity, permission, reason);
            case Result.Failed(var failure) -> new AccessDecision.Unavailable(failure.summary());
        };
    }
}
