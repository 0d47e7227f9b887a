package io.kubemirror.app;

import module java.base;

import io.kubemirror.model.PeriodicThread;
import io.kubemirror.model.PeriodicThread.Sleeper;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;

/**
 * Keeps virtual threads running when all threads that carry them are blocked.
 *
 * <p>A virtual thread that loads or initializes a class keeps its carrier while it waits for a
 * lock, and there are as many carriers as processors. If the owner of that lock, such as the lock
 * of a jar, waits for another lock that a virtual thread is to get next, then nothing runs this
 * thread, and all of them wait forever. The guard notices that virtual threads do not run, and adds
 * carriers until they do.
 *
 * <p>It has a platform thread, and uses nothing meanwhile that could wait for a virtual thread, not
 * even the log. Rejected: more carriers from the start. They share the processors at all times, and
 * only make it less likely. To accept requests after the start: classes are loaded later, too.
 */
final class VirtualThreadGuard implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(VirtualThreadGuard.class);

    /**
     * How long a virtual thread may take to run. Longer on a busy machine, where it does no harm.
     */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    /** The most carriers, which is the limit of the JVM's pool. */
    private static final int MAX_CARRIERS = 256;

    /**
     * Submissions are at most 1,024 at a time; the queues of the pool begin with a half of this.
     */
    private static final int MAX_DOUBLINGS = 10;

    private final Executor virtualThreads;
    private final IntSupplier carriers;
    private final IntConsumer setCarriers;
    private final PeriodicThread thread;

    /** The number of the last virtual thread, on the thread of the guard. */
    private long started;

    /** The greatest number of a virtual thread that has run. */
    private final AtomicLong run = new AtomicLong();

    private int added;
    private int waits;

    /**
     * Creates a guard that has not started.
     *
     * @param virtualThreads starts a virtual thread
     * @param carriers returns how many threads may carry virtual threads at once
     * @param setCarriers sets this number
     * @param sleeper waits for a virtual thread
     */
    VirtualThreadGuard(
            Executor virtualThreads,
            IntSupplier carriers,
            IntConsumer setCarriers,
            Sleeper sleeper) {
        this.virtualThreads = virtualThreads;
        this.carriers = carriers;
        this.setCarriers = setCarriers;
        thread = new PeriodicThread("virtual-thread-guard", this::check, PATIENCE, sleeper);
    }

    /**
     * Checks whether the last virtual thread has run, and starts another one.
     *
     * @throws InterruptedException if the guard is stopped
     */
    Duration check() throws InterruptedException {
        if (run.get() < started) {
            waits++;
            add();
        } else if (waits > 0) {
            recovered();
        }
        long number = ++started;
        startVirtualThread(() -> run.accumulateAndGet(number, Math::max));
        return PATIENCE;
    }

    /**
     * Starts a virtual thread, and, when none runs, so that a carrier notices.
     *
     * <p>The JVM's pool wakes no carrier when it gets more of them, but for a submission to a queue
     * that looks empty or is full. Several threads share such a queue, and what they have submitted
     * is in it. A new thread likely gets another one, and twice as many submissions each time fill
     * any of them soon.
     */
    private void startVirtualThread(Runnable task) throws InterruptedException {
        if (waits == 0) {
            virtualThreads.execute(task);
            return;
        }
        int submissions = 1 << Math.min(waits, MAX_DOUBLINGS);
        Runnable submitting =
                () -> {
                    for (int i = 0; i < submissions; i++) {
                        virtualThreads.execute(task);
                    }
                };
        Thread.ofPlatform()
                .daemon()
                .name("virtual-thread-guard-submitter")
                .start(submitting)
                .join();
    }

    /** Doubles the carriers, so that some are free soon however many are blocked. */
    private void add() {
        int count = carriers.getAsInt();
        int more = Math.min(count, MAX_CARRIERS - count);
        setCarriers.accept(count + more);
        added += more;
    }

    private void recovered() {
        // Once is usual on a busy machine.
        log.atLevel(waits == 1 ? Level.INFO : Level.WARN)
                .log(
                        "Virtual threads did not run for {} ms, because all of their carriers were"
                                + " blocked, or the process was stopped; {} more carriers were"
                                + " added meanwhile",
                        PATIENCE.multipliedBy(waits).toMillis(),
                        added);
        waits = 0;
        takeBack();
    }

    private void takeBack() {
        setCarriers.accept(carriers.getAsInt() - added);
        added = 0;
    }

    @Override
    public void start() {
        thread.start(Thread.ofPlatform().daemon());
    }

    @Override
    public void stop() {
        thread.stop(PATIENCE);
        // Carriers belong to the JVM, which may outlive the application.
        takeBack();
    }

    @Override
    public boolean isRunning() {
        return thread.isRunning();
    }

    /** Starts before everything that serves, and stops after it. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
