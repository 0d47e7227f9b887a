package io.kubemirror.access;

import io.kubemirror.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.access.AccessProperties.AuthorizationMode;
import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.ReviewApi;
import io.micrometer.core.instrument.MeterRegistry;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Decides which requests may read from the mirror. */
public sealed interface AccessControl {

    /** Access without authentication or authorization: every request may read everything. */
    record Open() implements AccessControl {}

    /**
     * The collaborators of access decisions.
     *
     * @param reviews the API server
     * @param registry the registry for decision metrics
     * @param executor runs each review request on its own thread
     * @param clock the clock for checking the validity of certificates
     * @param nanos a monotonic clock in nanoseconds
     * @param memory the budget for cached decisions, of which {@link Guarded#memory} is reserved
     */
    record Dependencies(
            ReviewApi reviews,
            MeterRegistry registry,
            Executor executor,
            InstantSource clock,
            LongSupplier nanos,
            MemoryBudget memory) {}

    /** Access control that authenticates and authorizes every request. */
    final class Guarded implements AccessControl {

        private final List<Authenticator> authenticators = new ArrayList<>();
        private final AuthorizationMode authorization;
        private final Reviewer reviewer;
        private final AccessMeters meters;
        private final Duration recheck;
        private final Function<Permission.OnResource, List<String>> together;

        /** Authenticates clients by their credentials. May be used from any thread. */
        @FunctionalInterface
        private interface Authenticator {

            /** Returns the identity of a client, empty if the credentials are unknown. */
            Result<Optional<Identity>> authenticate(Credentials credentials)
                    throws InterruptedException;
        }

        /**
         * Creates access control as configured.
         *
         * @throws
         *     org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException
         *     if the token file cannot be used
         */
        public Guarded(AccessProperties properties, Dependencies dependencies) {
            this(properties, dependencies, _ -> List.of());
        }

        /**
         * Creates access control that admits a client to several namespaces together.
         *
         * @param together returns the namespaces in each of which a client needs a permission that
         *     it does not have for all, empty if it needs that one
         * @throws
         *     org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException
         *     if the token file cannot be used
         */
        public Guarded(
                AccessProperties properties,
                Dependencies dependencies,
                Function<Permission.OnResource, List<String>> together) {
            this.together = together;
            TokenHasher hasher = new TokenHasher();
            authorization = properties.authorization();
            meters = new AccessMeters(dependencies.registry());
            reviewer = new Reviewer(properties, dependencies, hasher, meters);
            recheck = properties.recheckInterval();
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

        /**
         * Returns the memory that decisions may take with some settings, in bytes.
         *
         * @param limit the limit of the budget for decisions
         */
        public static long memory(AccessProperties properties, long limit) {
            return properties.authentication().isEmpty()
                    ? 0
                    : Reviewer.memory(properties.cache(), limit);
        }

        /** The interval at which the permissions of open watches are checked again. */
        public Duration recheck() {
            return recheck;
        }

        /**
         * Decides about a request, or rechecks an open watch. May be called from any thread. If no
         * cached result exists, this method waits for the API server, for a limited time.
         *
         * @throws InterruptedException if the thread is interrupted
         */
        public AccessDecision check(Credentials credentials, Permission permission)
                throws InterruptedException {
            AccessDecision verdict =
                    switch (identify(credentials)) {
                        case Result.Success(var identity) ->
                                identity.isPresent()
                                        ? check(identity.get(), permission)
                                        : new AccessDecision.Unauthenticated();
                        case Result.Failed(var failure) ->
                                new AccessDecision.Unavailable(failure.summary());
                    };
            meters.decided(verdict);
            return verdict;
        }

        /**
         * Returns the result of the first authenticator that knows the credentials. If none does
         * and one of them fails, the result is its failure.
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
                return new AccessDecision.Admitted(identity);
            }
            AccessDecision decision = review(identity, permission);
            return decision instanceof AccessDecision.Forbidden
                            && permission instanceof Permission.OnResource wanted
                    ? reviewEach(identity, wanted, decision)
                    : decision;
        }

        /**
         * Reviews the permission in each of several namespaces, which a union of them needs
         * (list-watch.md#un-4). A denial does not name them.
         */
        private AccessDecision reviewEach(
                Identity identity, Permission.OnResource wanted, AccessDecision denial)
                throws InterruptedException {
            AccessDecision decision = denial;
            for (String namespace : together.apply(wanted)) {
                decision = review(identity, wanted.in(namespace));
                if (decision instanceof AccessDecision.Forbidden) {
                    return denial;
                }
                if (decision instanceof AccessDecision.Unavailable) {
                    return decision;
                }
            }
            return decision;
        }

        private AccessDecision review(Identity identity, Permission permission)
                throws InterruptedException {
            return switch (reviewer.review(identity, permission)) {
                case Result.Success(var review) ->
                        review.allowed()
                                ? new AccessDecision.Admitted(identity)
                                : new AccessDecision.Forbidden(
                                        identity, permission, review.reason());
                case Result.Failed(var failure) ->
                        new AccessDecision.Unavailable(failure.summary());
            };
        }
    }

    /** The result of authenticating and authorizing a request. */
    sealed interface AccessDecision {

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
}
