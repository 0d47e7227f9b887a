package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.app.AccessProperties;
import io.kubemirror.app.AccessProperties.AuthenticationMethod;
import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Result;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

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
    private final MeterProvider<Counter> decisions;

    /**
     * Creates access control as configured.
     *
     * @param registry the registry for decision metrics
     */
    GuardedAccess(
            AccessProperties properties,
            ClientCertificates certificates,
            Reviewer reviewer,
            MeterRegistry registry) {
        this.properties = properties;
        this.certificates = certificates;
        this.reviewer = reviewer;
        this.decisions =
                Counter.builder("kubemirror.access.decisions")
                        .description("Access decisions for requests and for open watches")
                        .withRegistry(registry);
        Stream.of(Decision.values()).forEach(this::count);
    }

    /** The values of the tag of the metric. */
    private enum Decision {
        ALLOWED,
        UNAUTHENTICATED,
        FORBIDDEN,
        UNAVAILABLE
    }

    private Counter count(Decision decision) {
        return decisions.withTag("decision", Names.kebab(decision));
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
        AccessDecision decision =
                properties.authentication().isEmpty()
                        ? ofOwner(credentials, permission)
                        : ofIdentity(credentials, permission);
        count(
                        switch (decision) {
                            case AccessDecision.Admitted _ -> Decision.ALLOWED;
                            case AccessDecision.Unauthenticated _ -> Decision.UNAUTHENTICATED;
                            case AccessDecision.Forbidden _ -> Decision.FORBIDDEN;
                            case AccessDecision.Unavailable _ -> Decision.UNAVAILABLE;
                        })
                .increment();
        return decision;
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
