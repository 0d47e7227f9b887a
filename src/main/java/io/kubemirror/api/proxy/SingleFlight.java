package io.kubemirror.api.proxy;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Shares calls among threads that request the same key at the same time.
 *
 * <p>A caller never joins a call that is already running, because its result may be older than
 * something the caller already knows, such as its own write. All callers that arrive during a call
 * wait for the next one, which starts when the current one ends. So any number of callers causes at
 * most two calls at a time per key, one running and one waiting, and each caller gets a result that
 * was true after its request (list-watch.md#fr-4). Rejected: joining the running call, as caches
 * usually do, which halves the cost and breaks that guarantee.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the results
 */
final class SingleFlight<K, V> {

    private final int limit;
    private final Executor threads;

    /**
     * The calls by key. The map and its content are guarded by this; results are passed through
     * futures.
     */
    private final Map<K, Queue<V>> lines = new HashMap<>();

    /** The calls for one key: the running one, and the waiting one or null. */
    private static final class Queue<V> {

        private final IntFunction<V> errand;
        private CompletableFuture<V> running = new CompletableFuture<>();
        private int runningShares = 1;
        private @Nullable CompletableFuture<V> next;
        private int nextShares;

        Queue(IntFunction<V> errand) {
            this.errand = errand;
        }
    }

    /**
     * A share of a call.
     *
     * @param result the future result
     * @param first whether this is the first share
     */
    record Share<V>(CompletableFuture<V> result, boolean first) {

        /**
         * Waits for the result.
         *
         * @param patience the maximum time to wait
         * @throws TimeoutException if the call takes longer; it continues nevertheless
         * @throws InterruptedException if the thread is interrupted; the call continues
         */
        V await(Duration patience) throws TimeoutException, InterruptedException {
            try {
                return result.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException bug) {
                throw new IllegalStateException("an errand failed", bug.getCause());
            }
        }
    }

    /**
     * Creates an instance without calls.
     *
     * @param limit the maximum number of keys with calls at a time
     * @param threads runs each call on its own thread
     */
    SingleFlight(int limit, Executor threads) {
        this.limit = limit;
        this.threads = threads;
    }

    /**
     * Joins a call that has not started yet.
     *
     * @param wanted the key
     * @param errand the call; must be equivalent for equal keys
     * @return the share, empty if there are too many calls
     */
    Optional<Share<V>> join(K wanted, Supplier<V> errand) {
        return joinCounted(wanted, _ -> errand.get());
    }

    /**
     * Joins a call that needs the number of its shares, which is final when the call starts.
     *
     * @param wanted the key
     * @param errand the call, given the number of shares; must be equivalent for equal keys
     * @return the share, empty if there are too many calls
     */
    synchronized Optional<Share<V>> joinCounted(K wanted, IntFunction<V> errand) {
        Queue<V> line = lines.get(wanted);
        if (line != null) {
            CompletableFuture<V> next = line.next == null ? new CompletableFuture<>() : line.next;
            boolean first = line.next == null;
            line.next = next;
            line.nextShares++;
            return Optional.of(new Share<>(next, first));
        }
        if (lines.size() >= limit) {
            return Optional.empty();
        }
        Queue<V> begun = new Queue<>(errand);
        lines.put(wanted, begun);
        start(wanted, begun);
        return Optional.of(new Share<>(begun.running, true));
    }

    private void start(K wanted, Queue<V> line) {
        CompletableFuture<V> result = line.running;
        int shares = line.runningShares;
        threads.execute(
                () -> {
                    try {
                        V value = line.errand.apply(shares);
                        advance(wanted, line);
                        result.complete(value);
                    } catch (RuntimeException bug) {
                        advance(wanted, line);
                        result.completeExceptionally(bug);
                    }
                });
    }

    private synchronized void advance(K wanted, Queue<V> line) {
        CompletableFuture<V> next = line.next;
        if (next != null) {
            line.running = next;
            line.runningShares = line.nextShares;
            line.nextShares = 0;
            line.next = null;
            start(wanted, line);
        } else {
            lines.remove(wanted);
        }
    }
}
