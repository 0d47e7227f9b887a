package io.kubemirror.api.watch;

import io.kubemirror.api.read.SnapshotPin;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * A watch that is being served. Runs the steps of its state machine in short tasks.
 *
 * <p>The task runs whenever the state of the watch may have changed: a change arrived, a write
 * finished, a deadline passed, or the watch should end. A run never waits. Long work is split into
 * several runs, so that other watches can run in between.
 */
public final class WatchSession {

    private static final Logger log = LoggerFactory.getLogger(WatchSession.class);

    /** The maximum number of batches that one run sends. */
    private static final int BATCHES = 4;

    private final CoalescingTask task;
    private final WatchStateMachine machine;
    private final WatchClientSettings client;
    private final Consumer<WatchEndReason> leaving;
    private final Consumer<@Nullable IOException> written = this::written;
    private Runnable answered = () -> {};
    private boolean ended;

    /**
     * True from before a write is passed to the sink until it is finished. The thread that finishes
     * the write clears this after it has set {@code failure} and before it signals the next run.
     * Fields that are not volatile are confined to runs, see {@link CoalescingTask}.
     */
    private volatile boolean writing;

    private volatile @Nullable IOException failure;

    /**
     * The collaborators of a watch that belong to its client.
     *
     * @param sink receives the frames
     * @param deadline signals the watch when its waiting time is over
     * @param pin the snapshot that the initial events are read from
     */
    record WatchClientSettings(FrameSink sink, Deadline deadline, SnapshotPin pin) {}

    /**
     * Creates a watch that is open and has sent nothing.
     *
     * @param task the task of this watch
     * @param machine decides the steps
     * @param leaving called once with the reason of the end
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
     * Starts serving the watch on another thread.
     *
     * @param answered called at the end, on a thread of the executor
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

    /** Called on a thread of Jetty, or before {@code send} returns. */
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
