package io.kubemirror.api.watch;

import module java.base;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Runs the tasks of watches on a few threads. Each thread takes the oldest task, so no watch
 * depends on a particular thread. Tasks must not block.
 *
 * <p>One thread runs all tasks, and another one joins only when many tasks are queued: a sidecar
 * shares its processors with the application that it serves, and one thread finishes a few writes
 * sooner than several threads would. Thread-safe.
 *
 * <p>This class does not implement {@link java.util.concurrent.Executor}, because Boot would run
 * web requests on it, and its timers are no bean, because Boot would schedule its own tasks on
 * them.
 *
 * <p>Rejected: a plain JDK thread pool, which uses all its threads for two tasks or, with a bounded
 * queue, none for the next one; and tasks that are bound to one thread, because some tasks would
 * wait while other threads are idle.
 */
public final class WatchExecutor implements MeterBinder, AutoCloseable {

    /**
     * The number of queued tasks per active thread at which another thread joins: some milliseconds
     * of work.
     */
    private static final int TASKS_PER_THREAD = 2_000;

    /** The number of submitted tasks between two checks whether another thread should join. */
    private static final int CHECK_INTERVAL = 256;

    private final int size;
    private final ExecutorService threads;

    /** What all tasks are submitted to. */
    private final Executor queue = this::execute;

    /** One thread for all watches, because a timer only signals a task. */
    private final ScheduledExecutorService timers = timers();

    /** After adding a task, a caller checks whether a thread is active; see {@link #working}. */
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /**
     * The number of active threads. The last one decrements this before it checks the queue again,
     * so either it sees a new task or the submitter sees no active thread.
     */
    private final AtomicInteger working = new AtomicInteger();

    /** Count tasks. Each counter is written by one side only, to avoid contention. */
    private final AtomicLong submitted = new AtomicLong();

    private final AtomicLong started = new AtomicLong();

    /**
     * Creates an executor without tasks.
     *
     * @param size the maximum number of threads, at least one
     */
    public WatchExecutor(int size) {
        this(
                size,
                Executors.newFixedThreadPool(
                        size, Thread.ofPlatform().daemon().name("watch-executor-", 1).factory()));
    }

    /**
     * Creates an executor on the given threads, of which there must be at least {@code size}.
     * Closing the executor closes them.
     */
    WatchExecutor(int size, ExecutorService threads) {
        this.size = size;
        this.threads = threads;
    }

    private static ScheduledExecutorService timers() {
        ScheduledThreadPoolExecutor timers =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("watch-deadlines").factory());
        timers.setRemoveOnCancelPolicy(true);
        return timers;
    }

    /**
     * Returns a task that this executor runs.
     *
     * @param nanos the clock of its deadline, in nanoseconds
     */
    CoalescingTask task(LongSupplier nanos) {
        return new CoalescingTask(queue, timers, nanos);
    }

    /** Queues a task behind all others, and returns immediately. */
    void execute(Runnable task) {
        tasks.add(task);
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
                // No watch is served while the process shuts down.
            } finally {
                // Also undo the count if no thread can be created. A counted thread that does not
                // exist would keep all others from joining.
                if (!joined) {
                    working.decrementAndGet();
                }
            }
        }
    }

    private void runTasks() {
        try {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                started.incrementAndGet();
                task.run();
            }
        } finally {
            int left = working.decrementAndGet();
            // A task submitted before the decrement saw an active thread and started none.
            if (left == 0 && !tasks.isEmpty()) {
                addThread(0);
            }
        }
    }

    /** Returns the number of tasks that wait for a thread. */
    private long queued() {
        return Math.max(0, submitted.get() - started.get());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kubemirror.watch.queue.tasks", this, WatchExecutor::queued)
                .description("Steps of watches that wait for a thread")
                .register(registry);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        timers.shutdownNow();
    }
}
