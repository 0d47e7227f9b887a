package io.kubemirror.feature.access;

import module java.base;

import com.github.benmanes.caffeine.cache.Ticker;

import io.kubemirror.app.AccessProperties;
import io.kubemirror.kube.ReviewClient;
import io.kubemirror.kube.ReviewClient.AccessReview;
import io.kubemirror.model.Identity;
import io.kubemirror.model.Names;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Status;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

import okio.ByteString;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import tools.jackson.databind.json.JsonMapper;

/**
 * Authenticates bearer tokens and authorizes requests as the API server would, by review requests
 * whose results are cached. The number of concurrent requests is limited, so clients that send
 * invented tokens cannot flood the server. One log line is written when requests start to fail and
 * one when they succeed again.
 *
 * <p>Results are cached under keyed digests, so that no token is kept in memory and the duration of
 * a lookup reveals nothing. The key is private to the process.
 */
final class Reviewer {

    private static final Logger log = LoggerFactory.getLogger(Reviewer.class);

    /** The timeout of a request, and of the wait for a free slot. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /**
     * The maximum number of concurrent requests. At 5 ms each, this allows thousands of requests
     * per second.
     */
    private static final int AT_A_TIME = 32;

    /** The length of the key in bytes, equal to that of the digests. */
    private static final int KEY_BYTES = 32;

    private final ReviewClient reviews;
    private final List<String> audiences;
    private final ByteString key = ByteString.of(SecureRandom.getSeed(KEY_BYTES));
    private final ReviewCache<Optional<Identity>> identities;
    private final ReviewCache<Optional<AccessReview>> permissions;
    private final MeterProvider<Counter> sent;
    private final Semaphore turns = new Semaphore(AT_A_TIME, true);
    private final AtomicBoolean failing = new AtomicBoolean();

    /** What a request asks for: the values of a tag of the metric. */
    private enum Kind {
        TOKEN,
        ACCESS
    }

    /** The values of the other tag. */
    private enum Outcome {
        YES,
        NO,
        FAILED
    }

    /**
     * Creates a reviewer without results.
     *
     * @param reviews the API server
     * @param executor runs each request on its own thread
     */
    Reviewer(
            ReviewClient reviews,
            AccessProperties properties,
            MeterRegistry registry,
            Executor executor,
            Ticker ticker) {
        this.reviews = reviews;
        this.audiences = properties.audiences();
        this.identities =
                new ReviewCache<>(properties.cache(), Optional::isPresent, executor, ticker);
        this.permissions =
                new ReviewCache<>(properties.cache(), Reviewer::isAllowed, executor, ticker);
        this.sent =
                Counter.builder("kubemirror.access.reviews")
                        .description("Reviews requested from the API server")
                        .withRegistry(registry);
        for (Kind kind : Kind.values()) {
            Stream.of(Outcome.values()).forEach(outcome -> count(kind, outcome));
        }
    }

    private static boolean isAllowed(Optional<AccessReview> review) {
        return review.map(AccessReview::allowed).orElse(false);
    }

    private Counter count(Kind kind, Outcome outcome) {
        return sent.withTags("review", Names.kebab(kind), "outcome", Names.kebab(outcome));
    }

    /** Determines the identity that a token belongs to; empty if it is unknown. */
    Result<Optional<Identity>> identify(String token) throws InterruptedException {
        return identity(token, () -> reviews.identify(token, audiences, TIMEOUT));
    }

    /** Determines the same by a request with the token itself. */
    Result<Optional<Identity>> owner(String token) throws InterruptedException {
        return identity(token, () -> reviews.owner(token, TIMEOUT));
    }

    private Result<Optional<Identity>> identity(
            String token, Supplier<Result<Optional<Identity>>> request)
            throws InterruptedException {
        return identities.get(digest(token), () -> send(Kind.TOKEN, Optional::isPresent, request));
    }

    /** Determines whether an identity may perform an operation. */
    Result<AccessReview> review(Identity identity, Permission permission)
            throws InterruptedException {
        return permission(
                        identity,
                        permission,
                        () ->
                                reviews.review(identity, permission, TIMEOUT)
                                        .then(review -> Result.of(Optional.of(review))))
                .then(review -> Result.of(review.orElseThrow()));
    }

    /**
     * Determines whether the owner of a token may perform an operation, by a request with this
     * token; empty if it is unknown.
     */
    Result<Optional<AccessReview>> reviewOwner(String token, Permission permission)
            throws InterruptedException {
        return permission(token, permission, () -> reviews.reviewOwner(token, permission, TIMEOUT));
    }

    /**
     * Reviews a permission.
     *
     * @param client everything that the decision depends on beside the permission
     */
    private Result<Optional<AccessReview>> permission(
            Object client, Permission permission, Supplier<Result<Optional<AccessReview>>> request)
            throws InterruptedException {
        return permissions.get(
                digest(client, permission), () -> send(Kind.ACCESS, Reviewer::isAllowed, request));
    }

    private <T> Result<T> send(Kind kind, Predicate<T> positive, Supplier<Result<T>> request) {
        try {
            if (!turns.tryAcquire(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
                return tooMany();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return tooMany();
        }
        try {
            Result<T> result = request.get();
            record(kind, positive, result);
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

    private <T> void record(Kind kind, Predicate<T> positive, Result<T> result) {
        switch (result) {
            case Result.Success(var value) -> {
                count(kind, positive.test(value) ? Outcome.YES : Outcome.NO).increment();
                if (failing.compareAndSet(true, false)) {
                    log.info("Access reviews by the API server succeed again");
                }
            }
            case Result.Failed(var failure) -> {
                count(kind, Outcome.FAILED).increment();
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
        return failure instanceof Failure.Refused(Status status) && status.code() == 403
                ? "; check that kubemirror has permission to create tokenreviews and"
                        + " subjectaccessreviews (system:auth-delegator)"
                : "";
    }

    /** As JSON, no two questions are the same text. */
    private String digest(Object... question) {
        byte[] json = JsonMapper.shared().writeValueAsBytes(question);
        return ByteString.of(json).hmacSha256(key).hex();
    }
}
