package io.kubemirror.access;

import io.kubemirror.model.Identity;
import io.kubemirror.model.Intent;
import io.kubemirror.upstream.BearerToken;
import io.kubemirror.upstream.Failure;
import io.kubemirror.upstream.Result;
import io.kubemirror.upstream.ReviewApi;
import io.kubemirror.upstream.ReviewApi.AccessQuestion;
import io.kubemirror.upstream.ReviewApi.TokenQuestion;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Sends review requests to the API server. The number of concurrent requests is limited, so clients
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

    private final ReviewApi reviews;
    private final Duration limit;
    private final AccessMeters meters;
    private final Semaphore turns = new Semaphore(AT_A_TIME, true);
    private final AtomicBoolean failing = new AtomicBoolean();

    /**
     * Creates a reviewer.
     *
     * @param limit the timeout of a request, and the maximum time to wait for a free slot
     */
    Reviewer(ReviewApi reviews, Duration limit, AccessMeters meters) {
        this.reviews = reviews;
        this.limit = limit;
        this.meters = meters;
    }

    /** Determines the identity that a token belongs to. */
    Authentication identify(BearerToken token) {
        return limited(
                () ->
                        switch (reviews.identify(new TokenQuestion(token, limit))) {
                            case Result.Success(var identity) -> {
                                answered(AccessMeters.Review.TOKEN, identity.isPresent());
                                yield identity.<Authentication>map(Authentication.Known::new)
                                        .orElse(Authentication.UNKNOWN);
                            }
                            case Result.Failed(var failure) ->
                                    new Authentication.Unavailable(
                                            failed(AccessMeters.Review.TOKEN, failure));
                        },
                new Authentication.Unavailable(tooMany()));
    }

    /** Determines whether an identity may perform an operation. */
    Authorization decide(Identity identity, Intent intent) {
        return limited(
                () ->
                        switch (reviews.review(new AccessQuestion(identity, intent, limit))) {
                            case Result.Success(var decision) -> {
                                answered(AccessMeters.Review.ACCESS, decision.allowed());
                                yield decision.allowed()
                                        ? Authorization.ALLOWED
                                        : new Authorization.Denied(decision.reason());
                            }
                            case Result.Failed(var failure) ->
                                    new Authorization.Unavailable(
                                            failed(AccessMeters.Review.ACCESS, failure));
                        },
                new Authorization.Unavailable(tooMany()));
    }

    private <T> T limited(Supplier<T> question, T crowded) {
        try {
            if (!turns.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return crowded;
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return crowded;
        }
        try {
            return question.get();
        } finally {
            turns.release();
        }
    }

    private static String tooMany() {
        return "too many reviews are waiting";
    }

    private void answered(AccessMeters.Review review, boolean favourably) {
        meters.reviewed(review, favourably ? AccessMeters.Outcome.YES : AccessMeters.Outcome.NO);
        if (failing.compareAndSet(true, false)) {
            log.info("The API server reviews access again");
        }
    }

    private String failed(AccessMeters.Review review, Failure failure) {
        meters.reviewed(review, AccessMeters.Outcome.FAILED);
        if (failing.compareAndSet(false, true)) {
            log.warn(
                    "The API server does not review access: {}; who was admitted lately is admitted"
                            + " for kubemirror.access.cache.grace, others are not; check that"
                            + " kubemirror may create tokenreviews and subjectaccessreviews"
                            + " (system:auth-delegator)",
                    failure.summary());
        }
        return failure.summary();
    }
}
