package io.kubemirror.feature.access;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.api.http.AccessControl.AccessDecision;
import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.api.read.MirrorDirectory;
import io.kubemirror.feature.access.AccessProperties.AuthenticationMethod;
import io.kubemirror.feature.access.AccessProperties.AuthorizationMode;
import io.kubemirror.feature.access.Reviewer.TokenHasher;
import io.kubemirror.kube.ReviewApi;
import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.model.Identity;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Permission;
import io.kubemirror.source.Result;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Authenticates and authorizes every request, with settings that do not change.
 *
 * <p>If no authentication method is configured, it asks the API server with the client's own token
 * what its owner may do. One request authenticates and authorizes then, and kubemirror needs no
 * permission for it.
 */
public final class GuardedAccess implements AccessControl {

    /** The part of the memory for decisions that limits to namespaces may take. */
    private static final int LIMITS = 4;

    /** The owner of a token who may not ask who they are. */
    private static final Identity UNNAMED = new Identity("", "", List.of(), Map.of());

    private final AccessProperties properties;
    private final Supplier<MirrorDirectory> directory;
    private final AccessMeters meters;
    private final TokenHasher hasher;
    private final Reviewer reviewer;
    private final Optional<PermittedNamespaces> permitted;
    private final List<Authenticator> authenticators;

    /**
     * The collaborators of access decisions.
     *
     * @param reviews the API server, which is connected to only where it decides
     * @param registry the registry for decision metrics
     * @param executor runs each review request on its own thread
     * @param clock the clock for checking the validity of certificates
     * @param nanos a monotonic clock in nanoseconds
     * @param memory the budget for cached decisions, of which {@link Reviewer#memory} is reserved
     */
    public record Dependencies(
            Supplier<ReviewApi> reviews,
            MeterRegistry registry,
            Executor executor,
            InstantSource clock,
            LongSupplier nanos,
            MemoryBudget memory) {}

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
     * @param directory knows the namespaces; not read before the first request
     * @throws
     *     org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException
     *     if the token file cannot be used
     */
    public GuardedAccess(
            AccessProperties properties,
            Dependencies dependencies,
            Supplier<MirrorDirectory> directory) {
        this.hasher = new TokenHasher();
        this.properties = properties;
        this.directory = directory;
        this.meters = new AccessMeters(dependencies.registry());
        long limit = dependencies.memory().limit();
        this.reviewer =
                new Reviewer(properties, dependencies, reviews(properties, limit), hasher, meters);
        this.permitted =
                properties.permittedNamespaces()
                        ? Optional.of(
                                new PermittedNamespaces(
                                        directory, limit / LIMITS, dependencies.executor()))
                        : Optional.empty();
        this.authenticators = authenticators(properties, dependencies, hasher, reviewer);
    }

    private static List<Authenticator> authenticators(
            AccessProperties properties,
            Dependencies dependencies,
            TokenHasher hasher,
            Reviewer reviewer) {
        List<AuthenticationMethod> methods = properties.authentication();
        List<Authenticator> authenticators = new ArrayList<>();
        if (methods.contains(AuthenticationMethod.CLIENT_CERTIFICATE)) {
            authenticators.add(new ClientCertificates(dependencies.clock())::authenticate);
        }
        String file = properties.tokenFile();
        if (file != null) {
            authenticators.add(
                    new TokenFile(Path.of(file), hasher, dependencies.nanos())::authenticate);
        }
        if (methods.contains(AuthenticationMethod.TOKEN_REVIEW)) {
            authenticators.add(reviewer::identify);
        }
        return authenticators;
    }

    /**
     * Returns the memory that decisions may take with some settings, in bytes.
     *
     * @param limit the limit of the budget for decisions
     */
    public static long memory(AccessProperties properties, long limit) {
        return reviews(properties, limit) + (properties.permittedNamespaces() ? limit / LIMITS : 0);
    }

    private static long reviews(AccessProperties properties, long limit) {
        long most = properties.permittedNamespaces() ? limit - limit / LIMITS : limit;
        return Reviewer.memory(properties.cache(), most);
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
                permitted.isPresent()
                                && permission instanceof Permission.OnResource wanted
                                && MirrorDirectory.isForAllNamespaces(wanted)
                        ? permitted
                                .get()
                                .limit(
                                        client(credentials),
                                        wanted,
                                        one -> checkOne(credentials, one))
                        : checkOne(credentials, permission);
        meters.decided(decision);
        return decision;
    }

    /** Returns a digest of who a client is, or of its token if nobody knows that. */
    private String client(Credentials credentials) throws InterruptedException {
        Result<Optional<Identity>> known =
                properties.authentication().isEmpty()
                        ? reviewer.owner(credentials)
                        : identify(credentials);
        if (!(known instanceof Result.Success(var found)) || found.isEmpty()) {
            return hasher.text(List.of(Objects.requireNonNullElse(credentials.token(), "")));
        }
        Identity identity = found.get();
        List<String> parts = new ArrayList<>(List.of(identity.name(), identity.uid()));
        parts.addAll(new TreeSet<>(identity.groups()));
        return hasher.text(parts);
    }

    private AccessDecision checkOne(Credentials credentials, Permission permission)
            throws InterruptedException {
        if (properties.authentication().isEmpty()) {
            return switch (reviewer.review(credentials, permission)) {
                case Result.Success(var review) when review.isEmpty() ->
                        new AccessDecision.Unauthenticated();
                case Result.Success(var review) when review.get().allowed() ->
                        // Nobody has asked who the client is.
                        new AccessDecision.Admitted("");
                case Result.Success(var review) ->
                        new AccessDecision.Forbidden(
                                owner(credentials), permission, review.get().reason());
                case Result.Failed(var failure) ->
                        new AccessDecision.Unavailable(failure.summary());
            };
        }
        return switch (identify(credentials)) {
            case Result.Success(var identity) when identity.isEmpty() ->
                    new AccessDecision.Unauthenticated();
            case Result.Success(var identity) -> authorize(identity.get(), permission);
            case Result.Failed(var failure) -> new AccessDecision.Unavailable(failure.summary());
        };
    }

    /** Returns the name that a denial mentions. */
    private Identity owner(Credentials credentials) throws InterruptedException {
        return switch (reviewer.owner(credentials)) {
            case Result.Success(var owner) -> owner.orElse(UNNAMED);
            case Result.Failed(_) -> UNNAMED;
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

    private AccessDecision authorize(Identity identity, Permission permission)
            throws InterruptedException {
        if (properties.authorization() == AuthorizationMode.READ_ALL) {
            return new AccessDecision.Admitted(identity.name());
        }
        return switch (reviewer.review(identity, permission)) {
            case Result.Success(AccessReview(boolean allowed, String reason)) ->
                    allowed
                            ? new AccessDecision.Admitted(identity.name())
                            : new AccessDecision.Forbidden(identity, permission, reason);
            case Result.Failed(var failure) -> new AccessDecision.Unavailable(failure.summary());
        };
    }

    /** Counts access decisions and the review requests sent to the API server. */
    static final class AccessMeters {

        private final MeterRegistry registry;
        private final MeterProvider<Counter> decisions;

        AccessMeters(MeterRegistry registry) {
            this.registry = registry;
            this.decisions =
                    Counter.builder("kubemirror.access.decisions")
                            .description("Access decisions for requests and for open watches")
                            .withRegistry(registry);
            for (String decision :
                    List.of("allowed", "unauthenticated", "forbidden", "unavailable")) {
                decisions.withTag("decision", decision);
            }
        }

        /** Counts a decision about a request or an open watch. */
        void decided(AccessDecision verdict) {
            String decision =
                    switch (verdict) {
                        case AccessDecision.Admitted _, AccessDecision.Limited _ -> "allowed";
                        case AccessDecision.Unauthenticated _ -> "unauthenticated";
                        case AccessDecision.Forbidden _ -> "forbidden";
                        case AccessDecision.Unavailable _ -> "unavailable";
                    };
            decisions.withTag("decision", decision).increment();
        }

        /**
         * Returns the counter of review requests of a kind with an outcome.
         *
         * @param review {@code token} or {@code access}
         * @param outcome {@code yes}, {@code no}, or {@code failed}
         */
        Counter reviews(String review, String outcome) {
            return Counter.builder("kubemirror.access.reviews")
                    .description("Reviews requested from the API server")
                    .tag("review", review)
                    .tag("outcome", outcome)
                    .register(registry);
        }
    }
}
