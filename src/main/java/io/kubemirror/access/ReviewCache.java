package io.kubemirror.access;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Caches review results of the API server: positive results for longer than negative ones.
 * Concurrent requests for the same key share one review request. The number, the size in bytes, and
 * the lifetime of entries are bounded. Keys are digests, so the cache does not hold text sent by
 * clients.
 *
 * <p>While the API server does not answer, a positive result remains valid for an additional grace
 * period, counted from the last time that the server gave it. Rejected: keeping it valid until the
 * server is back, which would let an attacker who blocks the connection keep all permissions
 * unchanged; and not keeping it at all, which would cut clients off from the mirror when they need
 * it most.
 *
 * @param <V> the type of the results
 */
final class ReviewCache<V> {

    /** The size in bytes of a short result and its key. */
    static final int ENTRY = 512;

    /** How long no new review request is sent after the server has failed to answer. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final AsyncCache<String, CachedReview<V>> fresh;

    /**
     * Results for the grace period. Only one request for a key writes at a time, because a pending
     * request stays in the other cache, where all callers find it. Therefore a late positive result
     * never replaces a newer negative one.
     */
    private final Cache<String, V> believed;

    private final Function<V, ReviewResultKind> kinds;

    /** Specifies how a result is cached. */
    enum ReviewResultKind {
        /** A positive result, cached for a long time. */
        YES,
        /** A negative result, cached for a short time. */
        NO,
        /** A failure without a result. */
        NONE
    }

    /**
     * A result and its kind. A positive result served from the grace period has the kind of a
     * failure.
     */
    private record CachedReview<V>(V value, ReviewResultKind worth) {}

    /**
     * Creates an empty cache.
     *
     * @param bytes the maximum size of the results, at least {@link #ENTRY} each
     * @param kinds determines how a result is cached
     * @param texts returns the number of characters that a result holds
     * @param executor runs the review requests
     */
    ReviewCache(
            AccessProperties.Cache settings,
            long bytes,
            Function<V, ReviewResultKind> kinds,
            ToIntFunction<V> texts,
            Executor executor,
            Ticker ticker) {
        this.kinds = kinds;
        long most = Math.min(bytes / 2, (long) settings.size() * ENTRY);
        this.fresh =
                Caffeine.newBuilder()
                        .maximumWeight(most)
                        .weigher(
                                (String _, CachedReview<V> answer) -> weight(answer.value(), texts))
                        .ticker(ticker)
                        .executor(executor)
                        .expireAfter(
                                Expiry.creating(
                                        (String _, CachedReview<V> answer) ->
                                                time(answer, settings)))
                        .buildAsync();
        this.believed =
                Caffeine.newBuilder()
                        .maximumWeight(most)
                        .weigher((String _, V answer) -> weight(answer, texts))
                        .ticker(ticker)
                        .executor(executor)
                        .expireAfterWrite(settings.allowed().plus(settings.grace()))
                        .build();
    }

    private static <V> int weight(V answer, ToIntFunction<V> texts) {
        return ENTRY + 2 * texts.applyAsInt(answer);
    }

    private static <V> Duration time(CachedReview<V> answer, AccessProperties.Cache settings) {
        return switch (answer.worth()) {
            case YES -> settings.allowed();
            case NO -> settings.denied();
            case NONE -> PAUSE;
        };
    }

    /**
     * Returns the cached result for a key, or requests it.
     *
     * @param key a digest of the question
     * @param question sends the request; must terminate on its own
     * @throws InterruptedException if the thread is interrupted; other waiting threads are not
     *     affected
     */
    V get(String key, Supplier<V> question) throws InterruptedException {
        CompletableFuture<CachedReview<V>> answer =
                fresh.get(
                        key,
                        (_, executor) ->
                                CompletableFuture.supplyAsync(() -> ask(key, question), executor));
        try {
            return answer.get().value();
        } catch (ExecutionException bug) {
            throw new IllegalStateException("a question was not even asked", bug);
        }
    }

    private CachedReview<V> ask(String key, Supplier<V> question) {
        V answer = question.get();
        ReviewResultKind kind = kinds.apply(answer);
        return switch (kind) {
            case YES -> {
                believed.put(key, answer);
                yield new CachedReview<>(answer, kind);
            }
            case NO -> {
                believed.invalidate(key);
                yield new CachedReview<>(answer, kind);
            }
            case NONE -> {
                V before = believed.getIfPresent(key);
                yield new CachedReview<>(before == null ? answer : before, kind);
            }
        };
    }
}
