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

/**
 * Remembers what the API server has answered: a yes for a while, a no for a shorter one. Who asks
 * the same at the same time shares a request, and both the number of answers and their time are
 * bounded.
 *
 * <p>While the server does not answer, a yes is believed for a grace longer, counted from the last
 * time that it was given, and then no more. Rejected: to believe it until the server is back, so
 * that whoever keeps the two apart would keep all permissions as they are; and to believe it not at
 * all, since clients would be cut off from the mirror just when it is needed most.
 *
 * @param <K> what is asked
 * @param <V> what is answered
 */
final class Answers<K, V> {

    /** How long nobody asks again after the server has not answered. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final AsyncCache<K, Answer<V>> fresh;

    /**
     * Written by one question about a key at a time, since one that is under way stays in the other
     * cache, where all who ask find it; so no late yes comes back after a newer no.
     */
    private final Cache<K, V> believed;

    private final Function<V, Kind> kinds;

    /** How an answer is treated. */
    enum Kind {
        /** Believed for long. */
        YES,
        /** Believed for a short time. */
        NO,
        /** No answer at all. */
        NONE
    }

    /** An answer and what it is worth, which for a yes out of grace is little. */
    private record Answer<V>(V value, Kind worth) {}

    /**
     * No answers yet.
     *
     * @param kinds tells how to treat an answer
     * @param executor where questions are asked
     */
    Answers(
            AccessPlan.Patience patience,
            Function<V, Kind> kinds,
            Executor executor,
            Ticker ticker) {
        this.kinds = kinds;
        this.fresh =
                Caffeine.newBuilder()
                        .maximumSize(patience.remembered())
                        .ticker(ticker)
                        .executor(executor)
                        .expireAfter(
                                Expiry.creating((K _, Answer<V> answer) -> time(answer, patience)))
                        .buildAsync();
        this.believed =
                Caffeine.newBuilder()
                        .maximumSize(patience.remembered())
                        .ticker(ticker)
                        .executor(executor)
                        .expireAfterWrite(patience.allowed().plus(patience.grace()))
                        .build();
    }

    private static <V> Duration time(Answer<V> answer, AccessPlan.Patience patience) {
        return switch (answer.worth()) {
            case YES -> patience.allowed();
            case NO -> patience.denied();
            case NONE -> PAUSE;
        };
    }

    /**
     * The answer to a question, asked now if it is not known.
     *
     * @param question asks the server; must come to an end by itself
     * @throws InterruptedException if the thread is interrupted; others go on waiting
     */
    V get(K key, Supplier<V> question) throws InterruptedException {
        CompletableFuture<Answer<V>> answer =
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

    private Answer<V> ask(K key, Supplier<V> question) {
        V answer = question.get();
        Kind kind = kinds.apply(answer);
        return switch (kind) {
            case YES -> {
                believed.put(key, answer);
                yield new Answer<>(answer, kind);
            }
            case NO -> {
                believed.invalidate(key);
                yield new Answer<>(answer, kind);
            }
            case NONE -> {
                V before = believed.getIfPresent(key);
                yield new Answer<>(before == null ? answer : before, kind);
            }
        };
    }
}
