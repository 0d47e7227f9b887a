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
 * sooner than several threads would. When the queue is empty, one thread is left. Thread-safe.
 *
 * <p>This class does not implement {@link java.util.concurrent.Executor}, because Boot would run
 * web requests on it, and its timers are no bean, because Boot would schedule its own tasks on
 * them.
 *
 * <p>Rejected: a thread pool of one size, which uses all its threads for two tasks; and tasks that
 * are bound to one thread, because some tasks would wait while other threads are idle.
 */
public final class WatchExecutor implements MeterBinder, AutoCloseable {

    /** The number of queued tasks per thread at which another one joins: milliseconds of work. */
    private static final int TASKS_PER_THREAD = 2_000;

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final ThreadPoolExecutor threads;

    /** One thread for all watches, because a timer only signals a task. */
    private final ScheduledThreadPoolExecutor timers =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().daemon().name("watch-deadlines").factory());

    /**
     * Creates an executor without tasks.
     *
     * @param size the maximum number of threads, at least one
     */
    public WatchExecutor(int size) {
        this(size, Thread.ofPlatform().daemon().name("watch-executor-", 1).factory());
    }

    WatchExecutor(int size, ThreadFactory factory) {
        threads = new ThreadPoolExecutor(1, size, 0, TimeUnit.SECONDS, tasks, factory);
        timers.setRemoveOnCancelPolicy(true);
    }

    /**
     * Returns a task that this executor runs.
     *
     * @param nanos the clock of its deadline, in nanoseconds
     */
    CoalescingTask task(LongSupplier nanos) {
        return new CoalescingTask(this::execute, timers, nanos);
    }

    /** Queues a task behind all others, and returns immediately. */
    void execute(Runnable task) {
        // First: if no thread can be started now, the next one takes it.
        tasks.add(task);
        threads.prestartCoreThread();
        int queued = tasks.size();
        int present = threads.getCorePoolSize();
        if (queued > present * TASKS_PER_THREAD && present < threads.getMaximumPoolSize()) {
            threads.setCorePoolSize(present + 1);
        } else if (queued == 0 && present > 1) {
            threads.setCorePoolSize(1);
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("kubemirror.watch.queue.tasks", tasks, Queue::size)
                .description("Steps of watches that wait for a thread")
                .register(registry);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        timers.shutdownNow();
    }
}
