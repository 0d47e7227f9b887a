package io.kubemirror.feature.access;

import io.kubemirror.feature.access.AccessControl.AccessDecision;
import io.kubemirror.feature.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.feature.access.AccessProperties.AuthorizationMode;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Result;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Determines who a client is, and asks the API server what this identity may do. */
final class IdentityCheck implements ClientCheck {

    private final List<Authenticator> authenticators = new ArrayList<>();
    private final AuthorizationMode authorization;
    private final Reviewer reviewer;

    /** Authenticates clients by their credentials. May be used from any thread. */
    @FunctionalInterface
    private interface Authenticator {

        /** Returns the identity of a client, empty if the credentials are unknown. */
        Result<Optional<Identity>> authenticate(Credentials credentials)
                throws InterruptedException;
    }

    /**
     * Creates a check as configured.
     *
     * @throws
     *     org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException
     *     if the token file cannot be used
     */
    IdentityCheck(
            AccessProperties properties,
            AccessControl.Dependencies dependencies,
            AccessMeters meters) {
        TokenHasher hasher = new TokenHasher();
        authorization = properties.authorization();
        reviewer = new Reviewer(properties, dependencies, hasher, meters);
        if (properties.authentication().contains(AuthenticationMethod.CLIENT_CERTIFICATE)) {
            authenticators.add(new ClientCertificates(dependencies.clock())::authenticate);
        }
        String file = properties.tokenFile();
        if (file != null) {
            authenticators.add(
                    new TokenFile(Path.of(file), hasher, dependencies.nanos())::authenticate);
        }
        if (properties.authentication().contains(AuthenticationMethod.TOKEN_REVIEW)) {
            authenticators.add(reviewer::identify);
        }
        if (properties.authentication().contains(AuthenticationMethod.PEER_CREDENTIALS)) {
            authenticators.add(PeerCredentials::authenticate);
        }
    }

    @Override
    public AccessDecision check(Credentials credentials, Permission permission)
            throws InterruptedException {
        return switch (identify(credentials)) {
            case Result.Success(var identity) ->
                    identity.isPresent()
                            ? check(identity.get(), permission)
                            : new AccessDecision.Unauthenticated();
            case Result.Failed(var failure) -> new AccessDecision.Unavailable(failure.summary());
        };
    }

    /**
     * Returns the result of the first authenticator that knows the credentials. If none does and
     * one of them fails, the result is its failure.
     */
    private Result<Optional<Identity>> identify(Credentials credentials)
            throws InterruptedException {
        Result<Optional<Identity>> best = Result.of(Optional.empty());
        for (Authenticator authenticator : authenticators) {
            Result<Optional<Identity>> result = authenticator.authenticate(credentials);
            switch (result) {
                case Result.Success(var identity) -> {
                    if (identity.isPresent()) {
                        return result;
                    }
                }
                case Result.Failed(_) -> best = result;
            }
        }
        return best;
    }

    private AccessDecision check(Identity identity, Permission permission)
            throws InterruptedException {
        if (authorization == AuthorizationMode.READ_ALL) {
            return new AccessDecision.Admitted();
        }
        return switch (reviewer.review(identity, permission)) {
            case Result.Success(var review) ->
                    review.allowed()
                            ? new AccessDecision.Admitted()
                            : new AccessDecision.Forbidden(identity, permission, review.reason());
            case Result.Failed(var failure) -> new AccessDecision.Unavailable(failure.summary());
        };
    }
}
