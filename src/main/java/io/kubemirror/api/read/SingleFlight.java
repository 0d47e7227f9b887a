package io.kubemirror.api.read;

import module java.base;

import org.jspecify.annotations.Nullable;

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
public final class SingleFlight<K, V> {

    private final Executor threads;

    /**
     * The running call of each key. The map and its content are guarded by this; results are passed
     * through futures.
     */
    private final Map<K, Call<V>> running = new HashMap<>();

    /** A call, and the one that waits for its end. */
    private static final class Call<V> {

        private final Supplier<V> task;
        private final CompletableFuture<V> result = new CompletableFuture<>();
        private @Nullable Call<V> next;

        Call(Supplier<V> task) {
            this.task = task;
        }
    }

    /**
     * Creates an instance without calls.
     *
     * @param threads runs each call on its own thread
     */
    public SingleFlight(Executor threads) {
        this.threads = threads;
    }

    /**
     * Joins a call that has not started yet.
     *
     * @param wanted the key
     * @param task the call; must be equivalent for equal keys
     * @return the result of the call, which goes on if nobody waits for it
     */
    public CompletableFuture<V> join(K wanted, Supplier<V> task) {
        Call<V> call = new Call<>(task);
        synchronized (this) {
            Call<V> current = running.get(wanted);
            if (current != null && current.next != null) {
                return current.next.result;
            }
            if (current != null) {
                current.next = call;
                return call.result;
            }
            running.put(wanted, call);
        }
        start(wanted, call);
        return call.result;
    }

    /** A call whose thread cannot start has failed. */
    private void start(K wanted, Call<V> call) {
        try {
            threads.execute(() -> run(wanted, call));
        } catch (RuntimeException | Error failed) {
            end(wanted, call);
            call.result.completeExceptionally(failed);
        }
    }

    private void run(K wanted, Call<V> call) {
        try {
            V value = call.task.get();
            end(wanted, call);
            call.result.complete(value);
        } catch (RuntimeException | Error bug) {
            end(wanted, call);
            call.result.completeExceptionally(bug);
        }
    }

    private void end(K wanted, Call<V> call) {
        Call<V> next;
        synchronized (this) {
            next = call.next;
            if (next == null) {
                running.remove(wanted);
                return;
            }
            running.put(wanted, next);
        }
        start(wanted, next);
    }
}
