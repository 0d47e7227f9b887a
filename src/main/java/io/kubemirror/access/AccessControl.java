package io.kubemirror.access;

import com.github.benmanes.caffeine.cache.Ticker;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Intent;
import io.kubemirror.upstream.ReviewApi;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
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
     * @param memory the budget for cached decisions
     */
    record Dependencies(
            ReviewApi reviews,
            MeterRegistry registry,
            Executor executor,
            InstantSource clock,
            LongSupplier nanos,
            MemoryBudget memory) {}

    /**
     * Creates access control as configured.
     *
     * @throws InvalidConfigurationPropertyValueException if the token file cannot be used
     */
    static Guarded guarded(AccessProperties properties, Dependencies dependencies) {
        AccessMeters meters = new AccessMeters(dependencies.registry());
        AccessProperties.Cache cache = properties.cache();
        Reviewer reviewer =
                new Reviewer(dependencies.reviews(), properties.reviewTimeout(), meters);
        TokenHasher tokenHasher = new TokenHasher();
        Ticker ticker = dependencies.nanos()::getAsLong;
        Executor executor = dependencies.executor();
        long remembered = reserve(dependencies.memory(), cache);
        List<Authenticator> known = new ArrayList<>();
        if (properties
                .authentication()
                .contains(AccessProperties.AuthenticationMethod.CLIENT_CERTIFICATE)) {
            known.add(new ClientCertificates(dependencies.clock()));
        }
        if (properties
                .authentication()
                .contains(AccessProperties.AuthenticationMethod.TOKEN_FILE)) {
            Path file = Path.of(Objects.requireNonNull(properties.tokenFile()));
            known.add(new TokenFile(file, tokenHasher, dependencies.nanos()));
        }
        if (properties
                .authentication()
                .contains(AccessProperties.AuthenticationMethod.TOKEN_REVIEW)) {
            known.add(
                    new TokenReviews(
                            reviewer,
                            properties.audiences(),
                            tokenHasher,
                            new ReviewCache<>(
                                    cache,
                                    remembered,
                                    TokenReviews::kind,
                                    TokenReviews::texts,
                                    executor,
                                    ticker)));
        }
        Authorizer permitted =
                switch (properties.authorization()) {
                    case READ_ALL -> (_, _) -> Authorization.ALLOWED;
                    case ACCESS_REVIEW ->
                            new AccessReviews(
                                    reviewer,
                                    tokenHasher,
                                    new ReviewCache<>(
                                            cache,
                                            remembered,
                                            AccessReviews::kind,
                                            AccessReviews::texts,
                                            executor,
                                            ticker));
                };
        return new Guarded(known, permitted, meters, properties.recheckInterval());
    }

    /**
     * Reserves the maximum memory of the identity cache and the permission cache, once for the
     * lifetime of the process.
     */
    private static long reserve(MemoryBudget memory, AccessProperties.Cache cache) {
        // Each cache stores results twice: once for their regular lifetime and once for the grace
        // period.
        long each = Math.min(memory.limit() / 16, 2L * cache.size() * ReviewCache.ENTRY);
        memory.part("decisions", 2 * each).acquire(2 * each);
        return each;
    }

    /** Access control that authenticates and authorizes every request. */
    final class Guarded implements AccessControl {

        private final List<Authenticator> authenticators;
        private final Authorizer authorizer;
        private final AccessMeters meters;
        private final Duration recheck;

        private Guarded(
                List<Authenticator> authenticators,
                Authorizer authorizer,
                AccessMeters meters,
                Duration recheck) {
            this.authenticators = List.copyOf(authenticators);
            this.authorizer = authorizer;
            this.meters = meters;
            this.recheck = recheck;
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
        public AccessDecision check(Credentials credentials, Intent intent)
                throws InterruptedException {
            AccessDecision verdict =
                    switch (identify(credentials)) {
                        case Authentication.Known(var identity) -> check(identity, intent);
                        case Authentication.Unknown _ -> new AccessDecision.Unauthenticated();
                        case Authentication.Unavailable(var why) ->
                                new AccessDecision.Unavailable(why);
                    };
            meters.decided(verdict);
            return verdict;
        }

        /**
         * Returns the result of the first authenticator that knows the credentials. If none does
         * and one of them is unavailable, the result is unavailable.
         */
        private Authentication identify(Credentials credentials) throws InterruptedException {
            Authentication best = Authentication.UNKNOWN;
            for (Authenticator authenticator : authenticators) {
                switch (authenticator.authenticate(credentials)) {
                    case Authentication.Known known -> {
                        return known;
                    }
                    case Authentication.Unknown _ -> {}
                    case Authentication.Unavailable unavailable -> best = unavailable;
                }
            }
            return best;
        }

        private AccessDecision check(Identity identity, Intent intent) throws InterruptedException {
            return switch (authorizer.decide(identity, intent)) {
                case Authorization.Allowed _ -> new AccessDecision.Admitted(identity);
                case Authorization.Denied(var reason) ->
                        new AccessDecision.Forbidden(identity, intent, reason);
                case Authorization.Unavailable(var why) -> new AccessDecision.Unavailable(why);
            };
        }
    }
}
