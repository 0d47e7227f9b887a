package io.kubemirror.ops;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.Revision;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/**
 * Waits for the mirrors that must have content some time after the start, and reports those that
 * have none, or ends the process.
 *
 * <p>A type that the server does not have counts as synchronized for readiness, but its mirror has
 * no content: a name that is misspelled must not pass for an empty collection.
 *
 * <p>One virtual thread waits for each such mirror. Any thread may ask for the result.
 */
public final class SyncDeadlines implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(SyncDeadlines.class);

    private static final int EXIT_CODE = 1;

    private final Map<Mirror, SyncLimit> limits;
    private final IntConsumer exit;

    /** Mirrors that missed their deadline. A thread adds its own, others read. */
    private final Set<Mirror> late = ConcurrentHashMap.newKeySet();

    /** Changed only by the thread that starts and stops beans; volatile for all others. */
    private volatile List<Thread> threads = List.of();

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
    public record SyncLimit(Duration timeout, OnSyncTimeout then) {}

    /**
     * Creates deadlines that start with the application.
     *
     * @param limits the limits of the mirrors
     * @param exit ends the process with an exit code; called on a thread of its own
     */
    public SyncDeadlines(Map<Mirror, SyncLimit> limits, IntConsumer exit) {
        this.limits = Map.copyOf(limits);
        this.exit = exit;
    }

    /** Returns whether a mirror missed its deadline and still has no content. */
    boolean isLate(Mirror mirror) {
        return late.contains(mirror) && mirror.snapshot().isEmpty();
    }

    /** Starts waiting. */
    @Override
    public void start() {
        threads =
                limits.entrySet().stream()
                        .filter(limit -> limit.getValue().timeout().isPositive())
                        .map(limit -> thread(limit.getKey(), limit.getValue()))
                        .toList();
        threads.forEach(Thread::start);
    }

    private Thread thread(Mirror mirror, SyncLimit limit) {
        return Thread.ofVirtual()
                .name("sync-deadline-" + mirror.scope())
                .unstarted(() -> await(mirror, limit));
    }

    private void await(Mirror mirror, SyncLimit limit) {
        try {
            if (!mirror.await(Revision.ZERO, limit.timeout())) {
                late.add(mirror);
                missed(mirror, limit);
            }
        } catch (InterruptedException _) {
            // stop() interrupts the wait.
        }
    }

    private void missed(Mirror mirror, SyncLimit limit) {
        String problem = mirror.upstream().problem();
        String cause = problem.isEmpty() ? "" : ": " + problem;
        switch (limit.then()) {
            case REPORT ->
                    log.warn(
                            "{}: not synchronized {} s after the start{}",
                            mirror.scope(),
                            limit.timeout().toSeconds(),
                            cause);
            case EXIT -> {
                log.error(
                        "{}: not synchronized {} s after the start{}; the process ends, because"
                                + " on-sync-timeout is exit",
                        mirror.scope(),
                        limit.timeout().toSeconds(),
                        cause);
                exit.accept(EXIT_CODE);
            }
        }
    }

    /** Ends the waits. */
    @Override
    public void stop() {
        threads.forEach(Thread::interrupt);
        threads = List.of();
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
