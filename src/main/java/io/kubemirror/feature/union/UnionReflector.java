package io.kubemirror.feature.union;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.PeriodicThread.Sleeper;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.MirrorUpdater;
import io.kubemirror.reflector.MirrorUpdater.ReflectorStatus;
import io.kubemirror.reflector.ReflectorCounts;
import io.kubemirror.reflector.ReflectorSettings.Strategy;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Keeps a union of mirrors up to date on a virtual thread. Logs when it becomes complete, and when
 * it loses its content.
 */
public final class UnionReflector implements MirrorUpdater {

    private static final Logger LOG = LoggerFactory.getLogger(UnionReflector.class);

    /** close() does not wait longer for the thread. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The wait after a defect. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final MirrorUnion union;
    private final Thread thread;
    private final Strategy strategy;
    private final Sleeper sleeper;
    private final ReflectorCounts counts = new ReflectorCounts();
    private boolean complete;

    /**
     * Whether the thread is to end, which nothing else makes it do. It is written before the
     * interrupt, which only ends a wait.
     */
    private volatile boolean closing;

    /** Whether the union has been removed. It is written before {@link #closing}. */
    private volatile boolean ended;

    /**
     * Creates a reflector that has not started.
     *
     * @param union the union, used by this reflector only
     * @param strategy how its members read their initial state
     * @param sleeper waits after a defect
     */
    public UnionReflector(MirrorUnion union, Strategy strategy, Sleeper sleeper) {
        this.union = union;
        this.strategy = strategy;
        this.sleeper = sleeper;
        this.thread = Thread.ofVirtual().name("union-" + mirror().scope()).unstarted(this::run);
    }

    @Override
    public Mirror mirror() {
        return union.mirror();
    }

    @Override
    public ReflectorStatus reflectorStatus() {
        return new ReflectorStatus(
                strategy,
                List.of("shows %d namespaces together".formatted(mirror().parts().size())),
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    @Override
    public void requestProgress(Revision revision) {
        union.requestProgress(revision);
    }

    /** Returns counts that are zero: its members receive the events. */
    @Override
    public ReflectorCounts counts() {
        return counts;
    }

    @Override
    public void start() {
        thread.start();
    }

    @Override
    public boolean isStarted() {
        return thread.getState() != Thread.State.NEW;
    }

    @Override
    public void close() {
        closing = true;
        thread.interrupt();
        try {
            if (isStarted()) {
                thread.join(PATIENCE);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void end() {
        ended = true;
        close();
        if (!thread.isAlive()) {
            union.close();
            union.end();
        }
    }

    private void run() {
        try (union) {
            while (!closing) {
                step();
            }
        } finally {
            if (ended) {
                union.end();
            }
        }
    }

    /**
     * A defect of kubemirror, or an error of the JVM, must not stop the union permanently: it
     * begins again.
     */
    private void step() {
        try {
            try {
                union.step();
                report();
            } catch (RuntimeException | Error defect) {
                beginAgain(defect);
            }
        } catch (InterruptedException _) {
            // Unless the union is being closed, it goes on.
        }
    }

    private void beginAgain(Throwable defect) throws InterruptedException {
        try {
            line(Level.ERROR, "defect")
                    .setCause(defect)
                    .log("{}: internal error", mirror().scope());
            union.drop();
            report();
        } catch (RuntimeException | Error _) {
            // For example no memory. The next step is another attempt.
        }
        sleeper.sleep(PAUSE);
    }

    private void report() {
        boolean now = mirror().snapshot().isPresent();
        if (now != complete) {
            complete = now;
            line(Level.INFO, now ? "united" : "dropped")
                    .addKeyValue("kubemirror.namespaces", mirror().parts().size())
                    .log(
                            now
                                    ? "{}: shows {} namespaces together"
                                    : "{}: waits for the content of {} namespaces",
                            mirror().scope(),
                            mirror().parts().size());
        }
    }

    private LoggingEventBuilder line(Level level, String action) {
        return MirrorUpdater.line(LOG, mirror(), level, action);
    }
}
