package io.kubemirror.app.health;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.model.Revision;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;

/**
 * Waits for the mirrors that must have content some time after their start, and reports those that
 * have none, or ends the process.
 *
 * <p>A type that the server does not have counts as synchronized for readiness, but its mirror has
 * no content: a name that is misspelled must not pass for an empty collection.
 *
 * <p>One virtual thread waits for each such mirror. Any thread may ask for the result.
 */
public final class SyncDeadlines implements SmartLifecycle, MirrorSet.Listener {

    private static final Logger log = LoggerFactory.getLogger(SyncDeadlines.class);

    private static final int EXIT_CODE = 1;

    private final Function<Mirror, SyncLimit> limits;
    private final IntConsumer exit;
    private final MirrorSet mirrors;

    /** Mirrors that missed their deadline. A thread adds its own, others read. */
    private final Set<Mirror> late = ConcurrentHashMap.newKeySet();

    /** The threads that wait, by mirror. */
    private final Map<Mirror, Thread> threads = new ConcurrentHashMap<>();

    /** Whether mirrors that are added are waited for. Guarded by the monitor. */
    private boolean running;

    /** What happens to a mirror without content. */
    public enum OnSyncTimeout {
        /** It is reported in the log and in health. */
        REPORT,
        /** The process ends with exit code 1. */
        EXIT
    }

    /**
     * A limit of one mirror.
     *
     * @param timeout how long after the start it may be without content, zero for no limit
     * @param then what happens afterward
     */
    public record SyncLimit(Duration timeout, OnSyncTimeout then) {

        /** No limit. */
        public static final SyncLimit NONE = new SyncLimit(Duration.ZERO, OnSyncTimeout.REPORT);
    }

    /**
     * Creates deadlines that start with the application.
     *
     * @param mirrors the mirrors, of which those with parts have no limit of their own
     * @param limits returns the limit of a mirror
     * @param exit ends the process with an exit code; called on a thread of its own
     */
    public SyncDeadlines(MirrorSet mirrors, Function<Mirror, SyncLimit> limits, IntConsumer exit) {
        this.mirrors = mirrors;
        this.limits = limits;
        this.exit = exit;
        mirrors.listen(this);
    }

    /** Returns whether a mirror missed its deadline and still has no content. */
    boolean isLate(Mirror mirror) {
        return late.contains(mirror) && mirror.snapshot().isEmpty();
    }

    /** Starts waiting. */
    @Override
    public synchronized void start() {
        running = true;
        mirrors.stream().forEach(this::added);
    }

    @Override
    public synchronized void added(Mirror mirror) {
        if (running) {
            SyncLimit limit = limits.apply(mirror);
            if (limit.timeout().isPositive()) {
                threads.computeIfAbsent(mirror, _ -> start(mirror, limit));
            }
        }
    }

    @Override
    public synchronized void removed(Mirror mirror) {
        Thread thread = threads.remove(mirror);
        if (thread != null) {
            thread.interrupt();
        }
        late.remove(mirror);
    }

    private Thread start(Mirror mirror, SyncLimit limit) {
        return Thread.ofVirtual()
                .name("sync-deadline-" + mirror.scope())
                .start(() -> await(mirror, limit));
    }

    private void await(Mirror mirror, SyncLimit limit) {
        try {
            if (!mirror.await(Revision.ZERO, limit.timeout()) && !mirror.isRemoved()) {
                late.add(mirror);
                missed(mirror, limit);
            }
        } catch (InterruptedException _) {
            // stop() interrupts the wait.
        }
    }

    private void missed(Mirror mirror, SyncLimit limit) {
        String problem = mirror.upstream().problem();
        boolean exits = limit.then() == OnSyncTimeout.EXIT;
        log.atLevel(exits ? Level.ERROR : Level.WARN)
                .log(
                        "{}: not synchronized {} s after the start{}{}",
                        mirror.scope(),
                        limit.timeout().toSeconds(),
                        problem.isEmpty() ? "" : ": " + problem,
                        exits ? "; the process ends, because on-sync-timeout is exit" : "");
        if (exits) {
            exit.accept(EXIT_CODE);
        }
    }

    /** Ends the waits. */
    @Override
    public synchronized void stop() {
        running = false;
        threads.values().forEach(Thread::interrupt);
        threads.clear();
    }

    @Override
    public boolean isRunning() {
        return !threads.isEmpty();
    }

    /** A start after a pause would count its time again. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}
