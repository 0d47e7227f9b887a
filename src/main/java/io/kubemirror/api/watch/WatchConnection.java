package io.kubemirror.api.watch;

import module java.base;

import io.kubemirror.api.http.DisconnectListener;
import io.kubemirror.api.watch.Watch.NextStep;
import io.kubemirror.model.MemoryBudget;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watches that are being served on a connection: one, or those of a stream, which take turns
 * and end together (list-watch.md#ms-6). Runs their steps in short tasks.
 *
 * <p>The task runs whenever the state of a watch may have changed: a change arrived, a write
 * finished, a deadline passed, or the watch should end. A run never waits. Long work is split into
 * several runs, so that other connections can run in between.
 */
public final class WatchConnection implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(WatchConnection.class);

    /** The maximum number of batches that one run sends. */
    private static final int BATCHES = 4;

    private final CoalescingTask task;
    private final FrameSink sink;
    private final List<Watch> watches;

    private Optional<DisconnectListener> disconnectListener = Optional.empty();

    /** The number of the watch whose turn it is. */
    private int turn;

    private Runnable answered = () -> {};
    private boolean ended;

    /**
     * True from before a write is passed to the sink until it is finished. The thread that finishes
     * the write clears this after it has set {@code failure} and before it signals the next run.
     * Fields that are not volatile are written before the watch starts or confined to runs, see
     * {@link CoalescingTask}.
     */
    private volatile boolean writing;

    private volatile @Nullable IOException failure;

    /** The reason why a watch ended. */
    public enum EndReason {
        /** The watch reached its timeout (list-watch.md#wa-27). */
        TIMEOUT,
        /**
         * The revision of the client has expired. The stream ends with a 410 (list-watch.md#fa-4,
         * #wa-9).
         */
        EXPIRED,
        /**
         * The watch would have skipped changes. The stream ends with a 410, so that the client
         * lists again.
         */
        GAP,
        /**
         * The mirror started a new history that does not connect to the old one
         * (list-watch.md#re-1).
         */
        RESET,
        /** The replica has more than its share of the watches. A bookmark came before the end. */
        REBALANCED,
        /** The client disconnected, or the process is shutting down (list-watch.md#fa-9, #in-6). */
        CLOSED,
        /**
         * The client accepted no bytes for too long while a write was pending (list-watch.md#fa-5).
         */
        STALLED;

        /** Returns the reason for a failed write. */
        static EndReason of(IOException broken) {
            for (Throwable cause = broken; cause != null; cause = cause.getCause()) {
                if (cause instanceof TimeoutException) {
                    return STALLED;
                }
            }
            return CLOSED;
        }
    }

    /** Receives the frames of a watch, one batch at a time. Never blocks. */
    public interface FrameSink {

        /**
         * Sends frames.
         *
         * @param batch the frames, which must not be modified afterwards
         * @param later called when the remainder has been sent, or with the failure; possibly
         *     before this method returns
         * @return whether everything has been sent, in which case {@code later} is not called
         * @throws IOException if the client has disconnected
         */
        boolean send(FrameBatch batch, Consumer<@Nullable IOException> later) throws IOException;

        /**
         * Ends the stream, whose last write may have been sent in part, so that no client mistakes
         * it for a whole.
         */
        default void abort(Throwable cause) {}

        /**
         * Closes the connection when the stream has ended, so that the client connects again, to
         * any replica.
         */
        default void closeAfterEnd() {}
    }

    /**
     * Creates a connection that is open and has been sent nothing.
     *
     * @param task the task of this connection, which the watches signal
     * @param sink sends the frames
     * @param watches decide the steps, at least one
     */
    WatchConnection(CoalescingTask task, FrameSink sink, List<Watch> watches) {
        this.task = task;
        this.sink = sink;
        this.watches = List.copyOf(watches);
    }

    /** Ends the watches when the client disconnects. Must be called before they start. */
    void endOnDisconnect(HttpServletRequest request) {
        disconnectListener = DisconnectListener.register(request, this::requestEnd);
    }

    /**
     * Starts serving the watches on other threads.
     *
     * @param atEnd called at the end of all of them, on a thread of the executor
     */
    public void start(Runnable atEnd) {
        this.answered = atEnd;
        task.start(this);
    }

    /**
     * Requests the end of the watches, whatever they are doing. Returns immediately. Thread-safe.
     *
     * <p>A waiting watch is signaled. A writing watch finishes its write first, because otherwise
     * it would break its connection instead of ending it cleanly (list-watch.md#wi-7). A watch that
     * has not started ends in its first run.
     */
    public void requestEnd() {
        task.requestEnd();
    }

    /** Whether the end of the watches has been requested. Thread-safe. */
    public boolean isEndRequested() {
        return task.isEndRequested();
    }

    /** Takes some steps. Called by the task of this connection only. */
    @Override
    public void run() {
        if (ended) {
            return;
        }
        if (writing) {
            watches.forEach(Watch::releaseIfStopping);
            return;
        }
        try {
            proceed();
        } catch (IOException broken) {
            log.debug("A client disconnected: {}", broken.toString());
            end(_ -> EndReason.of(broken));
        } catch (RuntimeException | Error bug) {
            fail(bug);
        }
    }

    /**
     * Ends the watches after a defect of kubemirror, or an error of the JVM such as a lack of
     * memory, which may leave no memory for a line of the log.
     */
    private void fail(Throwable bug) {
        try {
            if (writing) {
                sink.abort(bug);
            }
        } finally {
            end(_ -> EndReason.CLOSED);
        }
        log.error("A watch failed", bug);
    }

    /**
     * Takes steps until all watches rest, one ends, a write is pending, or other connections are to
     * have their turn: watches that begin with the same state take turns at each batch, so that the
     * chunk of a batch serves all of them.
     */
    private void proceed() throws IOException {
        if (failure != null) {
            throw failure;
        }
        int batches = 0;
        int resting = 0;
        while (resting < watches.size()) {
            Watch watch = watches.get(turn);
            turn = (turn + 1) % watches.size();
            switch (watch.next()) {
                case NextStep.Send(FrameBatch batch) -> {
                    resting = 0;
                    batches++;
                    if (!send(watch, batch)) {
                        return;
                    }
                    if (batches == BATCHES || watch.isInitial()) {
                        task.signal();
                        return;
                    }
                }
                case NextStep.Rest(long until) -> {
                    resting++;
                    task.signalBy(until);
                }
                case NextStep.End(EndReason reason) -> {
                    end(watch, reason);
                    return;
                }
            }
        }
    }

    private void end(Watch first, EndReason reason) {
        if (reason == EndReason.REBALANCED) {
            sink.closeAfterEnd();
        }
        end(other -> other == first ? reason : EndReason.CLOSED);
    }

    private boolean send(Watch watch, FrameBatch batch) throws IOException {
        writing = true;
        if (sink.send(batch, why -> written(watch, batch, why))) {
            watch.count(batch);
            writing = false;
            return true;
        }
        return false;
    }

    /** Called on a thread of Jetty, or before {@code send} returns. */
    private void written(Watch watch, FrameBatch batch, @Nullable IOException why) {
        if (why == null) {
            watch.count(batch);
        }
        failure = why;
        writing = false;
        task.signal();
    }

    private void end(Function<Watch, EndReason> why) {
        ended = true;
        task.cancelDeadline();
        try {
            watches.forEach(watch -> watch.end(why.apply(watch)));
        } finally {
            disconnectListener.ifPresent(DisconnectListener::stop);
            answered.run();
        }
    }

    /**
     * The write of a watch that its client has not accepted completely. Its bytes are charged to
     * the memory budget, except for a small write, which every connection may have. If there is no
     * memory for a larger one, the watch ends, and the client can resume from the last event that
     * it received.
     *
     * <p>One write at a time. The run of the watch begins it, Jetty finishes it, and Jetty's idle
     * timeout arrives on a third thread.
     */
    static final class PendingWrite {

        /** The size of a write that is allowed even when the budget is exhausted, in bytes. */
        private static final int ASSURED = 16 * 1024;

        private final MemoryBudget budget;

        /**
         * Whether Jetty is writing. Set before the bytes are passed to Jetty, and cleared before
         * the watch learns that it may begin the next write. A timeout that races with the end of
         * the write may still close the connection; its client accepted no bytes for the whole
         * timeout.
         */
        private volatile boolean pending;

        /**
         * Set before the connection is closed, so that the failed write can report it as its cause.
         */
        private volatile @Nullable Throwable stall;

        PendingWrite(MemoryBudget budget) {
            this.budget = budget;
        }

        /**
         * Begins a write.
         *
         * @param size the size of the copy that is written later, in bytes
         * @param later called at the end of the write, with the failure if there is one
         * @return to be called by Jetty at the end of the write
         * @throws IOException if the budget is exhausted; the write must not take place
         */
        Callback begin(int size, Consumer<@Nullable IOException> later) throws IOException {
            if (size <= ASSURED) {
                budget.acquire(size);
            } else if (!budget.tryAcquire(size)) {
                throw new IOException("not enough memory to buffer data for a slow client");
            }
            pending = true;
            AtomicBoolean open = new AtomicBoolean(true);
            return Callback.from(
                    Callback.InvocationType.NON_BLOCKING,
                    () -> finish(open, size, null, later),
                    failure -> finish(open, size, why(failure), later));
        }

        /** Finishes a write once: an error may end one that Jetty ends, too. */
        private void finish(
                AtomicBoolean open,
                int size,
                @Nullable IOException why,
                Consumer<@Nullable IOException> later) {
            if (open.getAndSet(false)) {
                budget.release(size);
                pending = false;
                later.accept(why);
            }
        }

        private IOException why(Throwable failure) {
            Throwable cause = stall;
            return cause == null
                    ? new IOException("the client disconnected", failure)
                    : new IOException("the client does not read", cause);
        }

        /** Whether Jetty is writing. */
        boolean isPending() {
            return pending;
        }

        /**
         * Handles Jetty's idle timeout (list-watch.md#fa-5).
         *
         * @param timeout the cause of a failed write from now on, if a write is pending
         * @return whether a write is pending, so that the connection must be closed
         */
        boolean expire(Throwable timeout) {
            if (pending) {
                stall = timeout;
            }
            return pending;
        }
    }
}
