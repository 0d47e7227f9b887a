package io.kubemirror.reflector;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.upstream.UpstreamApi;

import java.time.Duration;

/**
 * Keeps one mirror synchronized with the API server: fetches the present state, follows the
 * changes, and synchronizes again where they break off.
 *
 * <p>The rules are those of client-go's reflector, with improvements from Calico and kube-rs. A
 * test checks every row of the transition table:
 *
 * <table>
 * <caption>States, events, and next states</caption>
 * <tr><th>State</th><th>Event</th><th>Next</th></tr>
 * <tr><td>Resolving</td><td>type found</td><td>Synchronizing, most recent</td></tr>
 * <tr><td>Resolving</td><td>no such type</td><td>BackingOff 30 s, Resolving; content is dropped, counts as synchronised (list-watch.md#in-4)</td></tr>
 * <tr><td>Resolving</td><td>type of cluster scope, but namespaces are configured</td><td>BackingOff, Resolving</td></tr>
 * <tr><td>Resolving</td><td>any failure</td><td>BackingOff, Resolving</td></tr>
 * <tr><td>Synchronizing</td><td>too soon after the last</td><td>BackingOff, Synchronizing (list-watch.md#bo-4)</td></tr>
 * <tr><td>Synchronizing</td><td>strategy is a list, or watches are not allowed, or this version of the server has refused streams twice in a row within the hour</td><td>Listing</td></tr>
 * <tr><td>Synchronizing</td><td>a stream is accepted</td><td>Streaming (list-watch.md#up-1, #up-2)</td></tr>
 * <tr><td>Synchronizing, Streaming</td><td>410 or too large, asked with a revision</td><td>Streaming, asked at once without one (list-watch.md#up-23)</td></tr>
 * <tr><td>Synchronizing, Streaming</td><td>429, connection refused</td><td>BackingOff, Synchronizing (list-watch.md#up-24)</td></tr>
 * <tr><td>Synchronizing</td><td>connection broken before the answer, for the first time</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>Synchronizing, Streaming</td><td>any other failure, strategy auto</td><td>Listing, at once (list-watch.md#up-25); 422 counts as a refusal</td></tr>
 * <tr><td>Synchronizing, Streaming</td><td>404, strategy watch-list</td><td>BackingOff, Resolving (list-watch.md#up-34)</td></tr>
 * <tr><td>Synchronizing, Streaming</td><td>any other failure, strategy watch-list</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>Streaming</td><td>event, bookmark, foreign frame</td><td>Streaming (list-watch.md#up-27)</td></tr>
 * <tr><td>Streaming</td><td>end of the initial events</td><td>Watching the same stream (list-watch.md#up-29)</td></tr>
 * <tr><td>Streaming</td><td>end of the initial events, older than the mirror</td><td>BackingOff, Synchronizing once more; believed the second time (list-watch.md#go-52)</td></tr>
 * <tr><td>Streaming</td><td>end, cut</td><td>BackingOff, Synchronizing (list-watch.md#up-26)</td></tr>
 * <tr><td>Streaming</td><td>end, cut after another failure, strategy auto</td><td>BackingOff, Listing</td></tr>
 * <tr><td>Streaming</td><td>silence, strategy auto</td><td>Listing, at once (list-watch.md#up-28); counts as a refusal</td></tr>
 * <tr><td>Streaming</td><td>silence, strategy watch-list</td><td>BackingOff, Synchronizing (list-watch.md#up-28)</td></tr>
 * <tr><td>Streaming</td><td>nonsense, strategy auto</td><td>BackingOff, Listing (list-watch.md#up-25)</td></tr>
 * <tr><td>Streaming</td><td>nonsense, strategy watch-list</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>Listing</td><td>always</td><td>Paging, the first page</td></tr>
 * <tr><td>Paging</td><td>a page with a token</td><td>Paging, the next page (list-watch.md#up-6)</td></tr>
 * <tr><td>Paging</td><td>the first page with a token, strategy list-watch-parallel, or auto after a list or its watch expired</td><td>Overlapping (list-watch.md#pp-2)</td></tr>
 * <tr><td>Paging</td><td>the same, but the watch is refused</td><td>Paging, the next page (list-watch.md#pp-6)</td></tr>
 * <tr><td>Paging</td><td>last page</td><td>Opening (list-watch.md#up-21)</td></tr>
 * <tr><td>Paging</td><td>last page, watches are not allowed</td><td>BackingOff 5 s, Synchronizing (list-watch.md#up-35)</td></tr>
 * <tr><td>Paging</td><td>410 or too large on the first page, asked with a revision</td><td>Listing, most recent, at once (list-watch.md#up-20)</td></tr>
 * <tr><td>Paging</td><td>410 on the first page, asked without a revision</td><td>BackingOff, Synchronizing (list-watch.md#up-20)</td></tr>
 * <tr><td>Paging</td><td>410 on a later page</td><td>Listing in one piece, at once (list-watch.md#up-7)</td></tr>
 * <tr><td>Paging, Overlapping</td><td>404</td><td>BackingOff, Resolving (list-watch.md#up-34)</td></tr>
 * <tr><td>Paging, Overlapping</td><td>pages of different revisions</td><td>BackingOff, Synchronizing (list-watch.md#pp-3)</td></tr>
 * <tr><td>Paging, Overlapping</td><td>any other failure</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>Paging, Overlapping, CatchingUp</td><td>complete, but older than the mirror</td><td>BackingOff, Listing once more; believed the second time (list-watch.md#go-52)</td></tr>
 * <tr><td>Overlapping</td><td>a page with a token</td><td>Overlapping, the next page</td></tr>
 * <tr><td>Overlapping</td><td>the watch has ended</td><td>what the next page leads to, with another watch where it ended (list-watch.md#pp-7)</td></tr>
 * <tr><td>Overlapping</td><td>the watch failed or cannot be opened again</td><td>Paging, the same page (list-watch.md#pp-6)</td></tr>
 * <tr><td>Overlapping</td><td>the same after an expired page</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>Overlapping</td><td>410 with a token</td><td>Overlapping, the rest of a newer state (list-watch.md#pp-8)</td></tr>
 * <tr><td>Overlapping</td><td>410 without a token, or at once again</td><td>Listing in one piece (list-watch.md#up-7)</td></tr>
 * <tr><td>Overlapping</td><td>last page</td><td>Watching what the watch has brought meanwhile (list-watch.md#pp-4)</td></tr>
 * <tr><td>Overlapping</td><td>last page, and the watch failed meanwhile</td><td>Opening (list-watch.md#pp-6)</td></tr>
 * <tr><td>Overlapping</td><td>last page, and a page had expired</td><td>CatchingUp (list-watch.md#pp-8)</td></tr>
 * <tr><td>CatchingUp</td><td>event or bookmark before the newest page's revision, foreign frame</td><td>CatchingUp</td></tr>
 * <tr><td>CatchingUp</td><td>event or bookmark at it or later</td><td>Watching the same stream</td></tr>
 * <tr><td>CatchingUp</td><td>end, cut, silence</td><td>CatchingUp by another watch, at once</td></tr>
 * <tr><td>CatchingUp</td><td>the same, but the other watch is refused</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>CatchingUp</td><td>end, cut, silence of another watch that brought nothing</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>CatchingUp</td><td>ERROR, nonsense</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>Opening</td><td>accepted</td><td>Watching</td></tr>
 * <tr><td>Opening</td><td>accepted after a time without a server</td><td>Probing (list-watch.md#re-12)</td></tr>
 * <tr><td>Opening</td><td>429, connection refused</td><td>BackingOff, Opening (list-watch.md#up-30)</td></tr>
 * <tr><td>Opening</td><td>connection broken before the answer</td><td>BackingOff, Opening</td></tr>
 * <tr><td>Opening</td><td>the same for the fifth time in a row</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>Opening</td><td>405</td><td>BackingOff 5 s, Synchronizing (list-watch.md#up-35)</td></tr>
 * <tr><td>Opening</td><td>any other failure</td><td>BackingOff, Synchronizing (list-watch.md#up-31, #up-33)</td></tr>
 * <tr><td>Probing</td><td>the server is as far as the mirror, or does not say</td><td>Watching</td></tr>
 * <tr><td>Probing</td><td>the server is behind the mirror</td><td>Synchronizing, most recent</td></tr>
 * <tr><td>Watching</td><td>event, bookmark, foreign frame</td><td>Watching</td></tr>
 * <tr><td>Watching</td><td>end, cut or silence after a frame or a second</td><td>Opening, at once (list-watch.md#up-40)</td></tr>
 * <tr><td>Watching</td><td>the same over and over</td><td>BackingOff, Opening</td></tr>
 * <tr><td>Watching</td><td>end or cut before both</td><td>BackingOff, Opening</td></tr>
 * <tr><td>Watching</td><td>end or cut before both, for the fifth time in a row</td><td>BackingOff, Synchronizing</td></tr>
 * <tr><td>Watching</td><td>ERROR 429, or ERROR 500 for a while</td><td>BackingOff, Opening (list-watch.md#up-37, #up-38)</td></tr>
 * <tr><td>Watching</td><td>any other ERROR</td><td>BackingOff, Synchronizing (list-watch.md#up-36, #up-39)</td></tr>
 * <tr><td>Watching</td><td>nonsense, or an object that replaced another unseen</td><td>BackingOff, Synchronizing (list-watch.md#up-39)</td></tr>
 * <tr><td>Watching</td><td>an audit found a difference</td><td>Synchronizing, most recent (list-watch.md#ca-6)</td></tr>
 * <tr><td>BackingOff</td><td>the time is over</td><td>what was to follow</td></tr>
 * <tr><td>BackingOff</td><td>the server accepts connections again</td><td>what was to follow</td></tr>
 * <tr><td>any</td><td>a defect of kubemirror</td><td>BackingOff, Resolving</td></tr>
 * </table>
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

    private final ReflectorCounts counts = new ReflectorCounts();
    private final ReflectorContext context;
    private final Auditor auditor;
    private final Thread thread;

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
        this.context =
                new ReflectorContext(
                        api.counting(bytes -> counts.add(Counter.BYTES_RECEIVED, bytes))
                                .warning(writer::warn),
                        writer,
                        settings,
                        environment,
                        counts);
        this.auditor = new Auditor(context);
        this.thread =
                Thread.ofVirtual()
                        .name("reflector-" + writer.mirror().scope())
                        .unstarted(this::run);
    }

    /**
     * Starts reflecting on a virtual thread, and auditing on another.
     *
     * @throws IllegalThreadStateException if it was started before
     */
    public void start() {
        context.reporter().started();
        thread.start();
        auditor.start();
    }

    /** Returns the mirror that this reflector writes. */
    public Mirror mirror() {
        return context.writer().mirror();
    }

    /** Returns the status for operators. May be called by any thread. */
    public ReflectorStatus reflectorStatus() {
        StatusReporter reporter = context.reporter();
        return new ReflectorStatus(
                context.settings().strategy(),
                context.capabilities().describe(),
                reporter.synchronization(),
                reporter.trouble());
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
            if (thread.getState() != Thread.State.NEW && !thread.join(patience)) {
                context.reporter().abandoned(patience);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        StateMachine machine = new StateMachine(context);
        ReflectorState state = context.first();
        try {
            while (!Thread.currentThread().isInterrupted()) {
                state = step(machine, state);
            }
        } catch (InterruptedException _) {
            // close() interrupts the wait.
        } finally {
            machine.stop(state);
            context.reporter().stopped();
        }
    }

    /**
     * A defect of kubemirror must not stop the mirror permanently: the reflector backs off and
     * resolves the type again.
     */
    private ReflectorState step(StateMachine machine, ReflectorState state)
            throws InterruptedException {
        try {
            return machine.step(state);
        } catch (RuntimeException defect) {
            machine.stop(state);
            return context.defect(defect);
        }
    }
}
