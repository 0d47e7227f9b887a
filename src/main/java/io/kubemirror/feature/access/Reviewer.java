package io.kubemirror.feature.access;

import module java.base;

import com.github.benmanes.caffeine.cache.Ticker;

import io.kubemirror.api.http.RequestCredentials.Credentials;
import io.kubemirror.feature.access.GuardedAccess.AccessMeters;
import io.kubemirror.kube.ReviewApi;
import io.kubemirror.kube.ReviewApi.AccessReview;
import io.kubemirror.kube.ReviewApi.BearerToken;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.micrometer.core.instrument.Counter;

import okio.ByteString;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates bearer tokens and authorizes requests as the API server would, by review requests
 * whose results are cached under digests. The number of concurrent requests is limited, so clients
 * that send invented tokens cannot flood the server. One log line is written when requests start to
 * fail and one when they succeed again.
 */
final class Reviewer {

    private static final Logger log = LoggerFactory.getLogger(Reviewer.class);

    /**
     * The maximum number of concurrent requests. At 5 ms each, this allows thousands of requests
     * per second.
     */
    private static final int AT_A_TIME = 32;

    /** The overhead of a string, counted in characters. */
    private static final int TEXT = 40;

    /** Without the reason, which only a denial needs. */
    private static final Result<Optional<AccessReview>> ALLOWED =
            Result.of(Optional.of(new AccessReview(true, "")));

    private final Supplier<ReviewApi> reviews;
    private final Duration limit;
    private final List<String> audiences;
    private final TokenHasher hasher;
    private final ReviewKind<Optional<Identity>> tokens;
    private final ReviewKind<Optional<AccessReview>> permissions;
    private final Semaphore turns = new Semaphore(AT_A_TIME, true);
    private final AtomicBoolean failing = new AtomicBoolean();

    /**
     * Creates a reviewer. The timeout of a request also limits the wait for a free slot.
     *
     * @param memory of both caches together, in bytes
     */
    Reviewer(
            AccessProperties properties,
            GuardedAccess.Dependencies dependencies,
            long memory,
            TokenHasher hasher,
            AccessMeters meters) {
        this.reviews = dependencies.reviews();
        this.limit = properties.reviewTimeout();
        this.audiences = properties.audiences();
        this.hasher = hasher;
        AccessProperties.Cache settings = properties.cache();
        long bytes = memory / 2;
        Ticker ticker = dependencies.nanos()::getAsLong;
        this.tokens =
                new ReviewKind<>(
                        "token",
                        meters,
                        new ReviewCache<>(
                                settings,
                                bytes,
                                Optional::isPresent,
                                identity -> identity.map(Reviewer::texts).orElse(0),
                                dependencies.executor(),
                                ticker));
        this.permissions =
                new ReviewKind<>(
                        "access",
                        meters,
                        new ReviewCache<>(
                                settings,
                                bytes,
                                review -> review.map(AccessReview::allowed).orElse(false),
                                review -> review.map(one -> one.reason().length()).orElse(0),
                                dependencies.executor(),
                                ticker));
    }

    /** The counters and the cache of one kind of review requests. */
    private record ReviewKind<T>(Counter yes, Counter no, Counter failed, ReviewCache<T> cache) {

        ReviewKind(String name, AccessMeters meters, ReviewCache<T> cache) {
            this(
                    meters.reviews(name, "yes"),
                    meters.reviews(name, "no"),
                    meters.reviews(name, "failed"),
                    cache);
        }
    }

    /**
     * Returns the maximum memory of both caches together, in bytes.
     *
     * @param limit the memory for decisions
     */
    static long memory(AccessProperties.Cache settings, long limit) {
        // Each cache stores results twice: once for their regular lifetime and once for the grace
        // period.
        return 2 * Math.min(limit / 2, 2L * settings.size() * ReviewCache.ENTRY);
    }

    /**
     * Determines the identity of a client that sends a bearer token; empty if it sends none, or one
     * that is unknown.
     */
    Result<Optional<Identity>> identify(Credentials credentials) throws InterruptedException {
        String token = credentials.token();
        if (token == null) {
            return Result.of(Optional.empty());
        }
        BearerToken bearer = new BearerToken(token, audiences);
        return identity(token, () -> reviews.get().identify(bearer, limit));
    }

    /**
     * Determines the identity of a client that sends a bearer token, by a request with this token;
     * empty if it sends none, or one that is unknown.
     */
    Result<Optional<Identity>> owner(Credentials credentials) throws InterruptedException {
        String token = credentials.token();
        if (token == null) {
            return Result.of(Optional.empty());
        }
        BearerToken bearer = new BearerToken(token, List.of());
        return identity(token, () -> reviews.get().owner(bearer, limit));
    }

    private Result<Optional<Identity>> identity(
            String token, Supplier<Result<Optional<Identity>>> request)
            throws InterruptedException {
        return tokens.cache.get(hasher.text(List.of(token)), () -> send(tokens, request));
    }

    /** Determines whether an identity may perform an operation. */
    Result<AccessReview> review(Identity identity, Permission permission)
            throws InterruptedException {
        Result<Optional<AccessReview>> result =
                permission(
                        parts(identity, permission),
                        () ->
                                reviews.get()
                                        .review(identity, permission, limit)
                                        .then(review -> Result.of(Optional.of(review))));
        return result.then(review -> Result.of(review.orElseThrow()));
    }

    /**
     * Determines whether a client that sends a bearer token may perform an operation, by a request
     * with this token; empty if it sends none, or one that is unknown.
     */
    Result<Optional<AccessReview>> review(Credentials credentials, Permission permission)
            throws InterruptedException {
        String token = credentials.token();
        if (token == null) {
            return Result.of(Optional.empty());
        }
        BearerToken bearer = new BearerToken(token, List.of());
        List<String> parts = new ArrayList<>(List.of(token));
        add(parts, permission);
        return permission(parts, () -> reviews.get().review(bearer, permission, limit));
    }

    private Result<Optional<AccessReview>> permission(
            List<String> parts, Supplier<Result<Optional<AccessReview>>> request)
            throws InterruptedException {
        return permissions.cache.get(
                hasher.text(parts),
                () -> {
                    Result<Optional<AccessReview>> result = send(permissions, request);
                    return result instanceof Result.Success(var review)
                                    && permissions.cache.isPositive(review)
                            ? ALLOWED
                            : result;
                });
    }

    private <T> Result<T> send(ReviewKind<T> kind, Supplier<Result<T>> request) {
        try {
            if (!turns.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return tooMany();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return tooMany();
        }
        try {
            Result<T> result = request.get();
            record(kind, result);
            return result;
        } finally {
            turns.release();
        }
    }

    private static <T> Result<T> tooMany() {
        return Result.failed(
                new Failure.Unreachable(
                        "too many access reviews are pending", Failure.Unreachable.Kind.BROKEN));
    }

    private <T> void record(ReviewKind<T> kind, Result<T> result) {
        switch (result) {
            case Result.Success(var value) -> {
                (kind.cache.isPositive(value) ? kind.yes : kind.no).increment();
                if (failing.compareAndSet(true, false)) {
                    log.info("Access reviews by the API server succeed again");
                }
            }
            case Result.Failed(var failure) -> {
                kind.failed.increment();
                if (failing.compareAndSet(false, true)) {
                    log.warn(
                            "Access reviews by the API server fail: {}; cached decisions remain"
                                    + " valid for kubemirror.access.cache.grace, other requests get"
                                    + " 503{}",
                            failure.summary(),
                            advice(failure));
                }
            }
        }
    }

    private static String advice(Failure failure) {
        return failure instanceof Failure.Refused(Status status, var _) && status.code() == 403
                ? "; check that kubemirror has permission to create tokenreviews and"
                        + " subjectaccessreviews (system:auth-delegator)"
                : "";
    }

    /**
     * Returns the number of characters that an identity holds, including the overhead of its
     * collections.
     */
    private static int texts(Identity identity) {
        List<String> texts = new ArrayList<>(identity.groups());
        texts.addAll(List.of(identity.name(), identity.uid()));
        texts.addAll(identity.extra().keySet());
        identity.extra().values().forEach(texts::addAll);
        return texts.stream().mapToInt(text -> text.length() + TEXT).sum();
    }

    /** Returns everything that a decision depends on. Lists are preceded by their size. */
    private static List<String> parts(Identity identity, Permission permission) {
        List<String> parts = new ArrayList<>(List.of(identity.name(), identity.uid()));
        add(parts, identity.groups());
        new TreeMap<>(identity.extra())
                .forEach(
                        (key, values) -> {
                            parts.add(key);
                            add(parts, values);
                        });
        add(parts, permission);
        return parts;
    }

    private static void add(List<String> parts, Permission permission) {
        switch (permission) {
            case Permission.OnPath(var verb, String path) -> add(parts, List.of(verb.name(), path));
            case Permission.OnResource wanted ->
                    add(
                            parts,
                            List.of(
                                    wanted.verb().name(),
                                    wanted.group(),
                                    wanted.version(),
                                    wanted.resource(),
                                    wanted.namespace(),
                                    wanted.name()));
        }
    }

    private static void add(List<String> parts, List<String> several) {
        parts.add(Integer.toString(several.size()));
        parts.addAll(several);
    }

    /**
     * Computes keyed digests of tokens. Digests replace tokens wherever they are stored or
     * compared, so that no token is kept in memory and the duration of a comparison reveals
     * nothing. The key is private to the process.
     */
    static final class TokenHasher {

        /** The key length in bytes, equal to the length of the digests. */
        private static final int KEY_BYTES = 32;

        private final ByteString key;

        /** Creates a hasher with a random key. */
        TokenHasher() {
            byte[] random = new byte[KEY_BYTES];
            new SecureRandom().nextBytes(random);
            this.key = ByteString.of(random);
        }

        /** Returns the digest of a token. */
        byte[] of(String token) {
            return digest(token).toByteArray();
        }

        private ByteString digest(String text) {
            return ByteString.encodeUtf8(text).hmacSha256(key);
        }

        /** Returns the digest of several texts in this order, as text. */
        String text(List<String> parts) {
            return digest(
                            parts.stream()
                                    .map(part -> part.length() + ":" + part)
                                    .collect(Collectors.joining()))
                    .hex();
        }
    }
}
