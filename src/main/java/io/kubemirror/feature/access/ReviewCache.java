package io.kubemirror.feature.access;

import module java.base;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;

import io.kubemirror.app.AccessProperties;
import io.kubemirror.source.Result;

/**
 * Caches review results of the API server: positive results for longer than negative ones.
 * Concurrent requests for the same key share one review request. The number and the lifetime of
 * entries are bounded. Keys are digests, so the cache does not hold text sent by clients.
 *
 * <p>While the API server does not answer, a positive result remains valid for an additional grace
 * period, counted from the last time that the server gave it. Rejected: keeping it valid until the
 * server is back, which would let an attacker who blocks the connection keep all permissions
 * unchanged; and not keeping it at all, which would cut clients off from the mirror when they need
 * it most.
 *
 * @param <V> the type of the values
 */
final class ReviewCache<V> {

    /** The maximum number of short results. Long ones count for several. */
    static final int MAX_ENTRIES = 10_000;

    /** The number of characters in a short result. */
    private static final int SHORT = 256;

    /** How long after a failure no new review request is sent for the same key. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final AsyncCache<String, CachedReview<V>> fresh;

    /**
     * Results for the grace period. Only one request for a key writes at a time, because a pending
     * request stays in the other cache, where all callers find it. Therefore a late positive result
     * never replaces a newer negative one.
     */
    private final Cache<String, Result<V>> believed;

    private final AccessProperties.Cache settings;
    private final Predicate<V> positive;

    private record CachedReview<V>(Result<V> result, Duration lifetime) {}

    /**
     * Creates an empty cache.
     *
     * @param positive determines which values are cached for longer, and for the grace period
     * @param executor runs the review requests
     */
    ReviewCache(
            AccessProperties.Cache settings,
            Predicate<V> positive,
            Executor executor,
            Ticker ticker) {
        this.settings = settings;
        this.positive = positive;
        this.fresh =
                limited(executor, ticker)
                        .weigher((String _, CachedReview<V> cached) -> weight(cached.result()))
                        .expireAfter(
                                Expiry.creating(
                                        (String _, CachedReview<V> cached) -> cached.lifetime()))
                        .buildAsync();
        this.believed =
                limited(executor, ticker)
                        .weigher((String _, Result<V> result) -> weight(result))
                        .expireAfterWrite(settings.allowed().plus(settings.grace()))
                        .build();
    }

    private static Caffeine<Object, Object> limited(Executor executor, Ticker ticker) {
        return Caffeine.newBuilder().maximumWeight(MAX_ENTRIES).ticker(ticker).executor(executor);
    }

    private static int weight(Result<?> result) {
        return 1 + result.toString().length() / SHORT;
    }

    /**
     * Returns the cached result for a key, or requests it.
     *
     * @param key a digest of the question
     * @param request sends the request; must terminate on its own
     * @throws InterruptedException if the thread is interrupted; other waiting threads are not
     *     affected
     */
    Result<V> get(String key, Supplier<Result<V>> request) throws InterruptedException {
        CompletableFuture<CachedReview<V>> pending =
                fresh.get(
                        key,
                        (_, executor) ->
                                CompletableFuture.supplyAsync(
                                        () -> remember(key, request.get()), executor));
        try {
            return pending.get().result();
        } catch (ExecutionException bug) {
            throw new IllegalStateException("a review failed before the request was sent", bug);
        }
    }

    private CachedReview<V> remember(String key, Result<V> result) {
        return switch (result) {
            case Result.Success(var value) when positive.test(value) -> {
                believed.put(key, result);
                yield new CachedReview<>(result, settings.allowed());
            }
            case Result.Success(_) -> {
                believed.invalidate(key);
                yield new CachedReview<>(result, settings.denied());
            }
            case Result.Failed(_) -> {
                Result<V> last = believed.getIfPresent(key);
                yield new CachedReview<>(last == null ? result : last, PAUSE);
            }
        };
    }
}
