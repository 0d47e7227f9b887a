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
 * Remembers what the API server has answered: a yes for a while, a no for a shorter one. Who asks
 * the same at the same time shares a request, and the number of answers, their bytes and their time
 * are bounded. Questions are known by digests, so that what clients write does not stay in memory.
 *
 * <p>While the server does not answer, a yes is believed for a grace longer, counted from the last
 * time that it was given, and then no more. Rejected: to believe it until the server is back, so
 * that whoever keeps the two apart would keep all permissions as they are; and to believe it not at
 * all, since clients would be cut off from the mirror just when it is needed most.
 *
 * @param <V> what is answered
 */
final class ReviewCache<V> {

    /** What an answer of a few words takes with its question, in bytes. */
    static final int ENTRY = 512;

    /** How long nobody asks again after the server has not answered. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final AsyncCache<String, CachedReview<V>> fresh;

    /**
     * Written by one question about a key at a time, since one that is under way stays in the other
     * cache, where all who ask find it; so no late yes comes back after a newer no.
     */
    private final Cache<String, V> believed;

    private final Function<V, ReviewResultKind> kinds;

    /** How an answer is treated. */
    enum ReviewResultKind {
        /** Believed for long. */
        YES,
        /** Believed for a short time. */
        NO,
        /** No answer at all. */
        NONE
    }

    /** An answer and what it is worth, which for a yes out of grace is little. */
    private record CachedReview<V>(V value, ReviewResultKind worth) {}

    /**
     * No answers yet.
     *
     * @param bytes what the answers may take, at least {@link #ENTRY} each
     * @param kinds tells how to treat an answer
     * @param texts how many characters an answer holds
     * @param executor where questions are asked
     */
    ReviewCache(
            AccessPlan.CacheTimes cacheTimes,
            long bytes,
            Function<V, ReviewResultKind> kinds,
            ToIntFunction<V> texts,
            Executor executor,
            Ticker ticker) {
        this.kinds = kinds;
        long most = Math.min(bytes / 2, (long) cacheTimes.remembered() * ENTRY);
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
                                                time(answer, cacheTimes)))
                        .buildAsync();
        this.believed =
                Caffeine.newBuilder()
                        .maximumWeight(most)
                        .weigher((String _, V answer) -> weight(answer, texts))
                        .ticker(ticker)
                        .executor(executor)
                        .expireAfterWrite(cacheTimes.allowed().plus(cacheTimes.grace()))
                        .build();
    }

    private static <V> int weight(V answer, ToIntFunction<V> texts) {
        return ENTRY + 2 * texts.applyAsInt(answer);
    }

    private static <V> Duration time(CachedReview<V> answer, AccessPlan.CacheTimes cacheTimes) {
        return switch (answer.worth()) {
            case YES -> cacheTimes.allowed();
            case NO -> cacheTimes.denied();
            case NONE -> PAUSE;
        };
    }

    /**
     * The answer to a question, asked now if it is not known.
     *
     * @param key a digest of the question
     * @param question asks the server; must come to an end by itself
     * @throws InterruptedException if the thread is interrupted; others go on waiting
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
