package io.kubemirror.reflector;

import io.kubemirror.kube.KubeApi;
import io.kubemirror.mirror.MirrorWriter;

/**
 * Keeps one mirror true: fetches the present state, follows the changes, and begins again where
 * they break off.
 *
 * <p>The rules are those of client-go's reflector, the oldest and best tried there is, with
 * Calico's and kube-rs's improvements. What happens in which state:
 *
 * <table>
 * <caption>States, what ends them, and what follows</caption>
 * <tr><th>State</th><th>Event</th><th>Next</th></tr>
 * <tr><td>Resolving</td><td>type found</td><td>Synchronising, most recent</td></tr>
 * <tr><td>Resolving</td><td>no such type</td><td>Resting 30 s, Resolving; content is dropped, counts as synchronised (IN-4)</td></tr>
 * <tr><td>Resolving</td><td>any failure</td><td>Resting, Resolving</td></tr>
 * <tr><td>Synchronising</td><td>strategy is a stream</td><td>Streaming (UP-1, UP-2)</td></tr>
 * <tr><td>Synchronising</td><td>strategy is a list, or a stream was refused with 422 within the hour</td><td>Listing</td></tr>
 * <tr><td>Synchronising</td><td>410, or the revision is too large</td><td>Synchronising, most recent, at once (UP-23)</td></tr>
 * <tr><td>Synchronising</td><td>429, connection refused</td><td>Resting, Synchronising (UP-24)</td></tr>
 * <tr><td>Synchronising</td><td>any other failure, strategy auto</td><td>Listing, at once (UP-25)</td></tr>
 * <tr><td>Synchronising</td><td>any other failure, strategy watch-list</td><td>Resting, Synchronising; after 404 Resolving</td></tr>
 * <tr><td>Streaming</td><td>end of the initial events</td><td>Watching the same stream (UP-29)</td></tr>
 * <tr><td>Streaming</td><td>failure in the stream</td><td>as in Synchronising</td></tr>
 * <tr><td>Streaming</td><td>end, cut</td><td>Resting, Synchronising (UP-26); with auto the second time Listing</td></tr>
 * <tr><td>Streaming</td><td>nonsense</td><td>Resting, with auto Listing (UP-25), else Synchronising</td></tr>
 * <tr><td>Listing</td><td>always</td><td>Paging, the first page</td></tr>
 * <tr><td>Paging</td><td>a page with a token</td><td>Paging, the next page (UP-6)</td></tr>
 * <tr><td>Paging</td><td>last page</td><td>Opening (UP-21)</td></tr>
 * <tr><td>Paging</td><td>410 or too large on the first page, asked with a revision</td><td>Listing, most recent, at once (UP-20)</td></tr>
 * <tr><td>Paging</td><td>410 on a later page</td><td>Listing in one piece, at once (UP-7)</td></tr>
 * <tr><td>Paging</td><td>404</td><td>Resting, Resolving (UP-34)</td></tr>
 * <tr><td>Paging, Streaming</td><td>complete, but older than the mirror</td><td>Resting, once more; believed the second time (GO-52)</td></tr>
 * <tr><td>Paging</td><td>any other failure</td><td>Resting, Synchronising</td></tr>
 * <tr><td>Opening</td><td>accepted</td><td>Watching</td></tr>
 * <tr><td>Opening</td><td>429</td><td>Resting, Opening (UP-30)</td></tr>
 * <tr><td>Opening</td><td>connection refused</td><td>Resting, Probing (UP-30)</td></tr>
 * <tr><td>Opening</td><td>no answer for a second or more</td><td>Resting, Probing (UP-32)</td></tr>
 * <tr><td>Opening</td><td>any other failure</td><td>Resting, Synchronising (UP-31, UP-33)</td></tr>
 * <tr><td>Watching</td><td>event, bookmark</td><td>Watching</td></tr>
 * <tr><td>Watching</td><td>end after a frame or a second</td><td>Opening, at once (UP-40)</td></tr>
 * <tr><td>Watching</td><td>cut or silence after a frame or a second</td><td>Probing, at once (UP-40)</td></tr>
 * <tr><td>Watching</td><td>end or cut before both</td><td>Resting, Synchronising (UP-41)</td></tr>
 * <tr><td>Watching</td><td>ERROR 429</td><td>Resting, Opening (UP-37)</td></tr>
 * <tr><td>Watching</td><td>any other ERROR, nonsense, a contradiction</td><td>Resting, Synchronising (UP-36, UP-39)</td></tr>
 * <tr><td>Probing</td><td>the server is as far as the mirror, or will not say</td><td>Opening</td></tr>
 * <tr><td>Probing</td><td>the server is behind the mirror</td><td>Synchronising, most recent (RE-12)</td></tr>
 * <tr><td>Probing</td><td>429, no answer</td><td>Resting, Probing</td></tr>
 * <tr><td>any</td><td>a defect of kubemirror</td><td>Resting, Resolving</td></tr>
 * </table>
 *
 * <p>A synchronisation asks for a state not older than the mirror's, until five failures in a row
 * make that revision suspect (BO-5).
 *
 * <p>Rejected: futures and callbacks, as in fabric8's reflector, whose state is spread over
 * volatile fields; and one loop with nested try-catch, as in the official Java client's, which
 * cannot be tested step by step.
 */
public final class Reflector implements AutoCloseable {

    private final ReflectorCounts counts = new ReflectorCounts();
    private final Equipment equipment;
    private final Thread thread;

    /**
     * A reflector that has not started.
     *
     * @param api the API server
     * @param writer the writer of the mirror, which nobody else may use
     * @param settings how to reflect
     * @param surroundings clock, randomness and sleep
     */
    public Reflector(
            KubeApi api,
            MirrorWriter writer,
            ReflectorSettings settings,
            Surroundings surroundings) {
        this.equipment = new Equipment(api, writer, settings, surroundings, counts);
        this.thread =
                Thread.ofVirtual()
                        .name("reflector-" + writer.mirror().scope())
                        .unstarted(this::run);
    }

    /**
     * Starts reflecting on a virtual thread of its own.
     *
     * @throws IllegalThreadStateException if it was started before
     */
    public void start() {
        equipment.journal().started();
        thread.start();
    }

    /** What has been counted since the start. */
    public ReflectorCounts counts() {
        return counts;
    }

    /**
     * Stops reflecting, and waits until the thread has ended; does nothing if it has not started.
     */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        Machine machine = new Machine(equipment);
        State state = new State.Resolving();
        try {
            while (!Thread.currentThread().isInterrupted()) {
                state = step(machine, state);
            }
        } catch (InterruptedException _) {
            // Interrupting is how close() ends a wait.
        } finally {
            release(state);
            equipment.journal().stopped();
        }
    }

    /** A defect of ours must not end the mirror for good: whatever was under way begins anew. */
    private State step(Machine machine, State state) throws InterruptedException {
        try {
            return machine.step(state);
        } catch (RuntimeException defect) {
            release(state);
            return equipment.defect(defect);
        }
    }

    private static void release(State state) {
        switch (state) {
            case State.Watching watching -> watching.stream().close();
            case State.Streaming streaming -> streaming.stream().close();
            case State.Resolving _,
                    State.Synchronising _,
                    State.Listing _,
                    State.Paging _,
                    State.Probing _,
                    State.Opening _,
                    State.Resting _ -> {}
        }
    }
}
