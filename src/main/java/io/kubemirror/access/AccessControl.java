package io.kubemirror.access;

import com.github.benmanes.caffeine.cache.Ticker;

import io.kubemirror.memory.MemoryBudget;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Intent;
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

/** Who may read what. */
public sealed interface AccessControl {

    /** Everybody may read everything: nobody is asked for credentials. */
    record Open() implements AccessControl {}

    /**
     * What the decisions are made with.
     *
     * @param reviews the API server
     * @param registry where decisions are counted
     * @param executor runs each question to the API server on a thread of its own
     * @param clock tells which certificates are valid
     * @param nanos a monotonic clock in nanoseconds
     * @param memory what remembered decisions draw from
     */
    record Dependencies(
            ReviewApi reviews,
            MeterRegistry registry,
            Executor executor,
            InstantSource clock,
            LongSupplier nanos,
            MemoryBudget memory) {}

    /**
     * Decisions by a plan.
     *
     * @param key random bytes, for digests of tokens
     * @throws TokenFileException if there is a file of tokens that cannot be used
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

    /** Takes what identities, and what permissions, may take at most, once and for all. */
    private static long reserve(MemoryBudget memory, AccessPlan.CacheTimes cacheTimes) {
        // Both are kept twice: as long as they are believed, and for the grace after it.
        long each = Math.min(memory.limit() / 16, 2L * cacheTimes.remembered() * ReviewCache.ENTRY);
        memory.part("decisions", 2 * each).acquire(2 * each);
        return each;
    }

    /** Everybody shows who they are, and reads what they are permitted to. */
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

        /** How often the permissions of open watches are to be looked at again. */
        public Duration recheck() {
            return recheck;
        }

        /**
         * Decides about a request, or again about a watch that is open. May be called from any
         * thread; waits for the API server if need be, but not without end.
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

        /** The first who knows them; what cannot be found out might have been a yes. */
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
