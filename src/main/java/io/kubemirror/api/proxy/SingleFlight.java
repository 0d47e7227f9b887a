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
 * Errands which those who want the same thing at the same time share.
 *
 * <p>Nobody shares an errand that was under way when he came: its result may be older than what he
 * knows already, such as his own write. While one is under way, all who come wait for the next,
 * which starts when it ends. So any number of clients costs two errands at a time at most, one
 * after the other, and everybody gets what was true after he asked (list-watch.md#fr-4). Rejected:
 * joining what is under way, as is usual for caches, which halves that and breaks the promise.
 *
 * @param <K> what is wanted
 * @param <V> what an errand brings
 */
final class SingleFlight<K, V> {

    private final int limit;
    private final Executor threads;

    /** With all that is in it, guarded by this; results travel through their futures. */
    private final Map<K, Queue<V>> lines = new HashMap<>();

    /** The errands for one thing: the one under way, and the one that waits, or null. */
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
     * A share of an errand.
     *
     * @param result what it will bring
     * @param first whether nobody else had a share before
     */
    record Share<V>(CompletableFuture<V> result, boolean first) {

        /**
         * Waits for what the errand brings.
         *
         * @param patience how long at most
         * @throws TimeoutException if it took longer; it goes on nevertheless
         * @throws InterruptedException if the thread is interrupted; the errand goes on
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
     * No errands yet.
     *
     * @param limit for how many things at a time errands may be under way
     * @param threads runs each errand, on a thread of its own
     */
    SingleFlight(int limit, Executor threads) {
        this.limit = limit;
        this.threads = threads;
    }

    /**
     * Takes a share of an errand that has not started yet.
     *
     * @param wanted what is wanted
     * @param errand gets it; the same for everybody who wants the same
     * @return the share, empty if there are too many errands
     */
    Optional<Share<V>> join(K wanted, Supplier<V> errand) {
        return joinCounted(wanted, _ -> errand.get());
    }

    /**
     * The same for an errand that has to know how many share what it brings: their number is final
     * when it starts.
     *
     * @param wanted what is wanted
     * @param errand gets it for a number of shares; the same for everybody who wants the same
     * @return the share, empty if there are too many errands
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
