package io.kubemirror.api.watch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads that serve watches: each takes the turn that has waited longest, so that no watch
 * waits for a particular thread. Nothing that is done in a turn may block.
 *
 * <p>One thread does what there is, and another joins it only when many turns wait: a sidecar
 * shares its processors with those it serves, and a few writes are done sooner by one thread than
 * handed to several. May be used from any thread.
 *
 * <p>It is no {@link java.util.concurrent.Executor}, or Boot would have web requests answered on
 * it.
 *
 * <p>Rejected: a thread pool of the JDK alone, which has either all its threads at work for two
 * turns or, with a bounded queue, none for the next; and turns that belong to one thread each,
 * which has some wait while others idle.
 */
public final class WatchExecutor implements AutoCloseable {

    /** Turns that wait for each thread at work before another joins: some milliseconds. */
    private static final int TASKS_PER_THREAD = 2_000;

    /** How many turns come until somebody looks whether another should join. */
    private static final int CHECK_INTERVAL = 256;

    private final int size;
    private final ExecutorService threads;
    private final ThreadLocal<Chunk> chunks = ThreadLocal.withInitial(Chunk::new);

    /** Whoever adds a turn then looks whether anybody is at work; see {@link #working}. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /**
     * Whoever is the last to leave counts himself out and then looks for turns: one sees another.
     */
    private final AtomicInteger working = new AtomicInteger();

    /** Of turns; each is written by one side, so that they do not slow each other down. */
    private final AtomicLong submitted = new AtomicLong();

    private final AtomicLong started = new AtomicLong();

    /**
     * A crew with nothing to do.
     *
     * @param size how many work at most, at least one
     */
    public WatchExecutor(int size) {
        this(
                size,
                Executors.newFixedThreadPool(
                        size, Thread.ofPlatform().daemon().name("watch-executor-", 1).factory()));
    }

    /** A crew on given threads, at least as many as work at most; they end with it. */
    WatchExecutor(int size, ExecutorService threads) {
        this.size = size;
        this.threads = threads;
    }

    /** What the calling thread, one of the crew, writes from. */
    Chunk chunk() {
        return chunks.get();
    }

    /** Has a turn taken behind all others that wait; returns at once. */
    void execute(Runnable turn) {
        tasks.add(turn);
        long number = submitted.incrementAndGet();
        int now = working.get();
        boolean many =
                number % CHECK_INTERVAL == 0
                        && number - started.get() > (long) now * TASKS_PER_THREAD;
        if (now == 0 || many) {
            addThread(now);
        }
    }

    private void addThread(int present) {
        if (present < size && working.compareAndSet(present, present + 1)) {
            boolean joined = false;
            try {
                threads.execute(this::runTasks);
                joined = true;
            } catch (RejectedExecutionException closing) {
                // Nobody is served while the process ends.
            } finally {
                // Also where no thread can be created: one that is counted but not there would
                // keep all others from joining.
                if (!joined) {
                    working.decrementAndGet();
                }
            }
        }
    }

    private void runTasks() {
        try {
            for (Runnable turn = tasks.poll(); turn != null; turn = tasks.poll()) {
                started.incrementAndGet();
                turn.run();
            }
        } finally {
            int left = working.decrementAndGet();
            // Whoever came in between has seen somebody at work.
            if (left == 0 && !tasks.isEmpty()) {
                addThread(0);
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
