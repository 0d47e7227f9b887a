package io.kubemirror.api.watch;

import io.kubemirror.api.read.SnapshotPin;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * A watch while it is served: does what its loop says, in turns.
 *
 * <p>It has a turn whenever something may be different for it: a change has come, a write has been
 * finished, its time has passed, it should end. A turn never waits, and what takes long takes
 * several, so that other watches have theirs in between.
 */
public final class WatchSession {

    private static final Logger log = LoggerFactory.getLogger(WatchSession.class);

    /** Portions that are sent in one turn. */
    private static final int BATCHES = 4;

    private final CoalescingTask task;
    private final WatchStateMachine machine;
    private final WatchClientSettings client;
    private final Consumer<WatchEndReason> leaving;
    private final Consumer<@Nullable IOException> written = this::written;
    private Runnable answered = () -> {};
    private boolean ended;

    /**
     * True from before a write is handed over until it is finished. Cleared by the thread that
     * finishes it, after it has said whether it failed and before it rings for the next turn. All
     * fields that are not volatile are for turns alone, see {@link CoalescingTask}.
     */
    private volatile boolean writing;

    private volatile @Nullable IOException failure;

    /**
     * What a watch deals with besides its loop.
     *
     * @param sink where its frames go
     * @param deadline rings for a turn when its time has passed
     * @param pin what it holds while it sends its first events
     */
    record WatchClientSettings(FrameSink sink, Deadline deadline, SnapshotPin pin) {}

    /**
     * A watch that stands and has sent nothing.
     *
     * @param task its own
     * @param machine says what to do
     * @param leaving told once why the watch is over
     */
    WatchSession(
            CoalescingTask task,
            WatchStateMachine machine,
            WatchClientSettings client,
            Consumer<WatchEndReason> leaving) {
        this.task = task;
        this.machine = machine;
        this.client = client;
        this.leaving = leaving;
    }

    /**
     * Begins to serve it, on another thread.
     *
     * @param answered told at the end, by the crew
     */
    public void start(Runnable answered) {
        this.answered = answered;
        task.start(this::step);
    }

    private void step() {
        if (ended || writing) {
            return;
        }
        try {
            proceed();
        } catch (IOException broken) {
            log.debug("A client went away: {}", broken.toString());
            end(WatchEndReason.of(broken));
        } catch (RuntimeException bug) {
            log.error("A watch failed", bug);
            end(WatchEndReason.CLOSED);
        }
    }

    private void proceed() throws IOException {
        if (failure != null) {
            throw failure;
        }
        int portions = 0;
        while (portions < BATCHES && continues()) {
            portions++;
        }
        if (portions == BATCHES) {
            task.signal();
        }
    }

    private boolean continues() throws IOException {
        client.pin().hold(machine.isInitial());
        return switch (machine.next()) {
            case NextStep.Send(FrameBatch batch) -> send(batch);
            case NextStep.Rest(var until) -> {
                client.deadline().set(until);
                yield false;
            }
            case NextStep.End(WatchEndReason end) -> {
                end(end);
                yield false;
            }
        };
    }

    private boolean send(FrameBatch batch) throws IOException {
        writing = true;
        if (client.sink().send(batch, written)) {
            writing = false;
            return true;
        }
        return false;
    }

    /** On a thread of the container, or before the sink has returned. */
    private void written(@Nullable IOException why) {
        failure = why;
        writing = false;
        task.signal();
    }

    private void end(WatchEndReason why) {
        ended = true;
        client.deadline().cancel();
        client.pin().close();
        machine.close();
        leaving.accept(why);
        answered.run();
    }
}
