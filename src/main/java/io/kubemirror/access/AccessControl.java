package io.kubemirror.access;

import com.github.benmanes.caffeine.cache.Ticker;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.upstream.ReviewApi;
import io.micrometer.core.instrument.MeterRegistry;

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
     * Creates access control that follows a plan.
     *
     * @param key random bytes that key the digests of tokens
     * @throws TokenFileException if the plan names a token file that cannot be used
     */
    static Guarded guarded(AccessPlan plan, Dependencies dependencies, byte[] key) {
        AccessMeters meters = new AccessMeters(dependencies.registry());
        AccessPlan.CacheTimes cacheTimes = plan.cacheTimes();
        Reviewer reviewer = new Reviewer(dependencies.reviews(), cacheTimes.limit(), meters);
        TokenHasher tokenHasher = new TokenHasher(key);
        Ticker ticker = dependencies.nanos()::getAsLong;
        Executor executor = dependencies.executor();
        long remembered = reserve(dependencies.memory(), cacheTimes);
        List<Authenticator> known = new ArrayList<>();
        if (plan.methods().contains(AccessPlan.AuthenticationMethod.CLIENT_CERTIFICATE)) {
            known.add(new ClientCertificates(dependencies.clock()));
        }
        if (plan.methods().contains(AccessPlan.AuthenticationMethod.TOKEN_FILE)) {
            Path file = Objects.requireNonNull(plan.tokenFile());
            known.add(new TokenFile(file, tokenHasher, dependencies.nanos()));
        }
        if (plan.methods().contains(AccessPlan.AuthenticationMethod.TOKEN_REVIEW)) {
            known.add(
                    new TokenReviews(
                            reviewer,
                            plan.audiences(),
                            tokenHasher,
                            new ReviewCache<>(
                                    cacheTimes,
                                    remembered,
                                    TokenReviews::kind,
                                    TokenReviews::texts,
                                    executor,
                                    ticker)));
        }
        Authorizer permitted =
                switch (plan.mode()) {
                    case READ_ALL -> (_, _) -> Authorization.ALLOWED;
                    case ACCESS_REVIEW ->
                            new AccessReviews(
                                    reviewer,
                                    tokenHasher,
                                    new ReviewCache<>(
                                            cacheTimes,
                                            remembered,
                                            AccessReviews::kind,
                                            AccessReviews::texts,
                                            executor,
                                            ticker));
                };
        return new Guarded(known, permitted, meters, cacheTimes.recheck());
    }

    /**
     * Reserves the maximum memory of the identity cache and the permission cache, once for the
     * lifetime of the process.
     */
    private static long reserve(MemoryBudget memory, AccessPlan.CacheTimes cacheTimes) {
        // Each cache stores results twice: once for their regular lifetime and once for the grace
        // period.
        long each = Math.min(memory.limit() / 16, 2L * cacheTimes.remembered() * ReviewCache.ENTRY);
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
        public AccessDecision check(Credentials credentials, Permission permission)
                throws InterruptedException {
            AccessDecision verdict =
                    switch (identify(credentials)) {
                        case Authentication.Known(var identity) -> check(identity, permission);
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

        private AccessDecision check(Identity identity, Permission permission)
                throws InterruptedException {
            return switch (authorizer.decide(identity, permission)) {
                case Authorization.Allowed _ -> new AccessDecision.Admitted(identity);
                case Authorization.Denied(var reason) ->
                        new AccessDecision.Forbidden(identity, permission, reason);
                case Authorization.Unavailable(var why) -> new AccessDecision.Unavailable(why);
            };
        }
    }
}
