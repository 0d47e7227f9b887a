package io.kubemirror.feature.access;

import io.kubemirror.model.Identity;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.source.ReviewApi;
import io.micrometer.core.instrument.MeterRegistry;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
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

        private final ClientCheck client;
        private final AccessMeters meters;
        private final Duration recheck;
        private final Function<Permission.OnResource, List<String>> together;

        private Guarded(
                ClientCheck client,
                AccessMeters meters,
                Duration recheck,
                Function<Permission.OnResource, List<String>> together) {
            this.client = client;
            this.meters = meters;
            this.recheck = recheck;
            this.together = together;
        }

        /**
         * Creates access control as configured.
         *
         * @param together returns the namespaces in each of which a client needs a permission that
         *     it does not have for all, empty if it needs that one
         * @throws
         *     org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException
         *     if the token file cannot be used
         */
        public static Guarded configured(
                AccessProperties properties,
                Dependencies dependencies,
                Function<Permission.OnResource, List<String>> together) {
            AccessMeters meters = new AccessMeters(dependencies.registry());
            return new Guarded(
                    new IdentityCheck(properties, dependencies, meters),
                    meters,
                    properties.recheckInterval(),
                    together);
        }

        /**
         * Creates access control that asks the API server with the token of each client.
         *
         * @param properties the timeout, the interval, and the cache
         * @param together as above
         */
        public static Guarded byOwnTokens(
                AccessProperties properties,
                Dependencies dependencies,
                Function<Permission.OnResource, List<String>> together) {
            AccessMeters meters = new AccessMeters(dependencies.registry());
            return new Guarded(
                    new OwnTokenCheck(
                            new Reviewer(properties, dependencies, new TokenHasher(), meters)),
                    meters,
                    properties.recheckInterval(),
                    together);
        }

        /**
         * Returns the memory that decisions may take with some settings, in bytes.
         *
         * @param limit the limit of the budget for decisions
         */
        public static long memory(AccessProperties properties, long limit) {
            return Reviewer.memory(properties.cache(), limit);
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
            AccessDecision decision = client.check(credentials, permission);
            if (decision instanceof AccessDecision.Forbidden
                    && permission instanceof Permission.OnResource wanted) {
                decision = checkEach(credentials, wanted, decision);
            }
            meters.decided(decision);
            return decision;
        }

        /**
         * Checks the permission in each of several namespaces, which a union of them needs
         * (list-watch.md#un-4). A denial does not name them.
         */
        private AccessDecision checkEach(
                Credentials credentials, Permission.OnResource wanted, AccessDecision denial)
                throws InterruptedException {
            AccessDecision decision = denial;
            for (String namespace : together.apply(wanted)) {
                decision = client.check(credentials, wanted.in(namespace));
                switch (decision) {
                    case AccessDecision.Admitted _ -> {}
                    case AccessDecision.Forbidden _ -> {
                        return denial;
                    }
                    case AccessDecision.Unauthenticated _, AccessDecision.Unavailable _ -> {
                        return decision;
                    }
                }
            }
            return decision;
        }
    }

    /** The result of authenticating and authorizing a request. */
    sealed interface AccessDecision {

        /** The request is allowed. */
        record Admitted() implements AccessDecision {}

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
