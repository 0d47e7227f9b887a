package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.upstream.UpstreamApi;

import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps one mirror synchronized with the API server: fetches the present state, follows the
 * changes, and synchronizes again where they break off.
 *
 * <p>The rules are those of client-go's reflector, with improvements from Calico and kube-rs. The
 * states and transitions are in {@code src/docs/reflector.md}, which a test compares with the code.
 *
 * <p>A synchronization asks for a state not older than the mirror's, until five failures in a row
 * make that revision suspect (list-watch.md#bo-5).
 *
 * <p>Rejected: futures and callbacks, as in fabric8's reflector, whose state is spread over
 * volatile fields; and one loop with nested try-catch, as in the official Java client's, which
 * cannot be tested step by step.
 */
public final class Reflector implements AutoCloseable {

    /** close() does not wait longer for a request that does not end. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ReflectorCounts counts;
    private final MirrorWriter writer;
    private final Strategy strategy;
    private final StateMachine machine;
    private final Auditor auditor;
    private final Thread thread;

    /**
     * Whether the mirror has been removed. It is written before the interrupt that ends the thread,
     * which therefore sees it.
     */
    private volatile boolean ended;

    /** Set before the start, null if there is nothing to wait for. */
    private @Nullable CompletableFuture<Void> restoring;

    /**
     * Creates a reflector that has not started.
     *
     * @param api the API server
     * @param writer the writer of the mirror, used by this reflector only
     * @param settings the settings of this collection
     * @param environment clock, randomness, and sleep
     */
    public Reflector(
            UpstreamApi api,
            MirrorWriter writer,
            ReflectorSettings settings,
            ReflectorEnvironment environment) {
        this(api, writer, settings, environment, new ReflectorCounts());
    }

    /**
     * Creates a reflector that continues a mirror that another has written, with other settings.
     * The other one {@linkplain #isStopped has stopped}.
     *
     * @param counts the counts of the other one
     */
    public Reflector(
            UpstreamApi api,
            MirrorWriter writer,
            ReflectorSettings settings,
            ReflectorEnvironment environment,
            ReflectorCounts counts) {
        this.counts = counts;
        UpstreamApi counted =
                api.counting(bytes -> counts.add(Counter.BYTES_RECEIVED, bytes))
                        .warning(this::warn);
        this.writer = writer;
        this.strategy = settings.strategy();
        this.machine = new StateMachine(counted, writer, settings, environment, counts);
        this.auditor =
                new Auditor(
                        counted,
                        writer.mirror(),
                        settings,
                        environment,
                        counts,
                        machine.resyncRequest());
        this.thread =
                Thread.ofVirtual()
                        .name("reflector-" + writer.mirror().scope())
                        .unstarted(this::run);
    }

    /** Publishes the warnings of the server, and logs them when they change. */
    private void warn(List<String> warnings) {
        if (!warnings.isEmpty() && !warnings.equals(writer.mirror().warnings())) {
            StatusReporter.line(writer.mirror(), Level.WARN, "warning")
                    .log(
                            "{}: the server warns: {}",
                            writer.mirror().scope(),
                            String.join(", ", warnings));
        }
        writer.warn(warnings);
    }

    /**
     * Sets what ends before the reflector writes: another thread may fill the mirror with the
     * content of an earlier process. Called before {@link #start}.
     */
    public void startAfter(CompletableFuture<Void> restored) {
        restoring = restored;
    }

    /** Waits for the same as another reflector, which this one follows. */
    public void startAfter(Reflector before) {
        restoring = before.restoring;
    }

    /**
     * Starts reflecting on a virtual thread, and auditing on another.
     *
     * @throws IllegalThreadStateException if it was started before
     */
    public void start() {
        if (restoring == null) {
            machine.reporter().started();
        }
        thread.start();
        auditor.start();
    }

    /** Returns the mirror that this reflector writes. */
    public Mirror mirror() {
        return writer.mirror();
    }

    /**
     * Requests that the mirror reaches a revision of the server soon, although nothing happens in
     * its collection. The reflector compares the mirror with the server at that revision, at most
     * once per second. May be called by any thread.
     */
    public void requestProgress(Revision revision) {
        machine.resyncRequest().requestProgress(revision);
    }

    /** Returns the status for operators. May be called by any thread. */
    public ReflectorStatus reflectorStatus() {
        return machine.reporter().status(strategy, machine.capabilities().describe());
    }

    /** Returns the counts since the start. */
    public ReflectorCounts counts() {
        return counts;
    }

    /**
     * Stops reflecting, and waits for up to five seconds until the threads have ended; does nothing
     * if it has not started. The interrupt ends a request in progress. A thread that does not react
     * is abandoned; as a virtual thread it does not keep the process alive.
     */
    @Override
    public void close() {
        close(PATIENCE);
    }

    void close(Duration patience) {
        auditor.stop();
        thread.interrupt();
        try {
            if (isStarted() && !thread.join(patience)) {
                machine.reporter().abandoned(patience);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether it has been started. */
    public boolean isStarted() {
        return thread.getState() != Thread.State.NEW;
    }

    /** Returns whether it has not started, or its thread has ended. */
    public boolean isStopped() {
        return !thread.isAlive();
    }

    /**
     * Stops reflecting as {@link #close} does, and returns the memory of the mirror, which has been
     * removed. A thread that does not end in time returns it later.
     */
    public void end() {
        end(PATIENCE);
    }

    void end(Duration patience) {
        ended = true;
        if (restoring != null && !isStarted()) {
            // The thread returns the memory after the mirror has been filled.
            thread.interrupt();
            thread.start();
        }
        close(patience);
        if (isStopped()) {
            writer.end();
        }
    }

    private void run() {
        ReflectorState state = new ReflectorState.Resolving();
        try {
            awaitRestored();
            state = machine.first();
            while (!Thread.currentThread().isInterrupted()) {
                state = step(state);
            }
        } catch (InterruptedException _) {
            // close() interrupts the wait.
        } finally {
            machine.stop(state);
            machine.reporter().stopped();
            if (ended) {
                writer.end();
            }
        }
    }

    /**
     * Restored content is stale until the server has answered. An interrupt does not end the wait:
     * nothing else may write the mirror while it is being filled.
     */
    private void awaitRestored() {
        if (restoring != null) {
            restoring.join();
            if (!writer.isRestored()) {
                machine.reporter().started();
            }
        }
    }

    /**
     * A defect of kubemirror must not stop the mirror permanently: the reflector backs off and
     * resolves the type again.
     */
    private ReflectorState step(ReflectorState state) throws InterruptedException {
        try {
            return machine.step(state);
        } catch (RuntimeException defect) {
            machine.stop(state);
            return machine.failures().defect(defect);
        }
    }
}
