package io.kubemirror.reflector;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Revision;
import io.kubemirror.source.Source;

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
public final class Reflector {

    /** How long to wait for a request that does not end. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The wait after a failure that cannot even be reported. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final ReflectorCounts counts = new ReflectorCounts();
    private final MirrorWriter writer;
    private final StateMachine machine;
    private final Auditor auditor;
    private final Thread thread;

    /**
     * Whether the thread is to end, which nothing else makes it do. It is written before the
     * interrupt, which only ends a wait.
     */
    private volatile boolean closing;

    /** Whether the mirror has been removed. It is written before {@link #closing}. */
    private volatile boolean ended;

    /** What ends before this reflector writes. Set before the start. */
    private CompletableFuture<?> earlier = CompletableFuture.completedFuture(null);

    /**
     * Creates a reflector that has not started.
     *
     * @param api the API server
     * @param writer the writer of the mirror, used by this reflector only
     * @param settings the settings of this collection
     * @param environment clock, randomness, and sleep
     */
    public Reflector(
            Source api,
            MirrorWriter writer,
            ReflectorSettings settings,
            ReflectorEnvironment environment) {
        this.writer = writer;
        this.machine = new StateMachine(api, writer, settings, environment, counts);
        this.auditor = new Auditor(machine);
        this.thread =
                Thread.ofVirtual()
                        .name("reflector-" + writer.mirror().scope())
                        .unstarted(this::run);
    }

    /**
     * Sets what ends before the reflector writes: another thread may fill the mirror with the
     * content of an earlier process. Called before {@link #start}.
     */
    public void startAfter(CompletableFuture<?> restored) {
        earlier = restored;
    }

    /**
     * Starts reflecting on a virtual thread, and auditing on another.
     *
     * @throws IllegalThreadStateException if it was started before
     */
    public void start() {
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
        machine.resyncRequest.requestProgress(revision);
    }

    /** Returns the status for operators. May be called by any thread. */
    public ReflectorStatus reflectorStatus() {
        return machine.reporter.status(machine.settings.strategy());
    }

    /** Returns the counts since the start. */
    public ReflectorCounts counts() {
        return counts;
    }

    /**
     * Requests the end, and returns at once. The interrupt ends a request in progress; a thread
     * that does not react ends later.
     */
    public void stop() {
        closing = true;
        auditor.stop();
        thread.interrupt();
    }

    /**
     * Requests the end of a reflector whose mirror has been removed, and that the memory of the
     * mirror is returned then. Returns at once.
     */
    public void remove() {
        ended = true;
        stop();
        if (!isStarted()) {
            // The thread returns the memory after the mirror has been filled.
            thread.start();
        }
    }

    /**
     * Waits for up to five seconds in all until reflectors have ended that were {@linkplain #stop
     * stopped} or {@linkplain #remove removed}. Those that take longer are abandoned; as virtual
     * threads they do not keep the process alive.
     *
     * <p>Rejected: a virtual thread for each. It would never run if all threads that carry virtual
     * threads are blocked.
     */
    public static void awaitEnd(List<Reflector> stopped) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        stopped.forEach(one -> one.awaitEnd(Duration.ofNanos(deadline - System.nanoTime())));
    }

    void awaitEnd(Duration patience) {
        try {
            if (isStarted() && !thread.join(patience)) {
                machine.abandon();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether it has been started. */
    public boolean isStarted() {
        return thread.getState() != Thread.State.NEW;
    }

    private void run() {
        try {
            ReflectorState state = guarded(new ReflectorState.Resolving(), _ -> first());
            while (!closing) {
                state = guarded(state, machine::step);
            }
            guarded(state, this::stop);
        } finally {
            stopped();
        }
    }

    /** The memory is returned although the end cannot be reported. */
    private void stopped() {
        try {
            machine.reporter.stopped();
        } finally {
            if (ended) {
                writer.end();
            }
        }
    }

    /**
     * Restored content is stale until the server has answered. Neither an interrupt nor a limit
     * ends the wait: nothing else may write the mirror before.
     */
    private void awaitEarlier() {
        earlier.handle((_, _) -> null).join();
        if (!writer.isRestored()) {
            machine.reporter.started();
        }
        earlier.join();
    }

    private ReflectorState first() {
        awaitEarlier();
        return machine.first();
    }

    private ReflectorState stop(ReflectorState state) {
        machine.stop(state);
        return new ReflectorState.Resolving();
    }

    /** Leads from a state to the next. */
    private interface Step {

        ReflectorState from(ReflectorState state) throws InterruptedException;
    }

    /**
     * A defect of kubemirror must not stop the mirror permanently: the reflector backs off and
     * resolves the type again. The same holds for an error of the JVM, such as a lack of memory. An
     * interrupt means nothing unless the reflector is being closed.
     */
    private ReflectorState guarded(ReflectorState state, Step step) {
        try {
            return step.from(state);
        } catch (InterruptedException _) {
            return guarded(state, this::stop);
        } catch (RuntimeException | Error defect) {
            return beginAgain(state, defect);
        }
    }

    private ReflectorState beginAgain(ReflectorState state, Throwable defect) {
        try {
            machine.stop(state);
            return machine.failures.defect(defect);
        } catch (RuntimeException | Error _) {
            return new ReflectorState.BackingOff(PAUSE, new ReflectorState.Resolving());
        }
    }
}
