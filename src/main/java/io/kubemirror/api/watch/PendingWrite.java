package io.kubemirror.api.watch;

import io.kubemirror.model.MemoryBudget;

import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * The write of a watch that its client has not accepted completely. Its bytes are charged to the
 * memory budget, except for a small write, which every connection may have. If there is no memory
 * for a larger one, the watch ends, and the client can resume from the last event that it received.
 *
 * <p>One write at a time. The run of the watch begins it, Jetty finishes it, and Jetty's idle
 * timeout arrives on a third thread.
 */
final class PendingWrite {

    /** The size of a write that is allowed even when the budget is exhausted, in bytes. */
    private static final int ASSURED = 16 * 1024;

    private final MemoryBudget budget;

    /**
     * Whether Jetty is writing. Set before the bytes are passed to Jetty, and cleared before the
     * watch learns that it may begin the next write. A timeout that races with the end of the write
     * may still close the connection; its client accepted no bytes for the whole timeout.
     */
    private volatile boolean pending;

    /** Set before the connection is closed, so that the failed write can report it as its cause. */
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
        return Callback.from(
                Callback.InvocationType.NON_BLOCKING,
                () -> finish(size, null, later),
                failure -> finish(size, why(failure), later));
    }

    private void finish(
            int size, @Nullable IOException why, Consumer<@Nullable IOException> later) {
        budget.release(size);
        pending = false;
        later.accept(why);
    }

    private IOException why(Throwable failure) {
        Throwable cause = stall;
        return cause == null
                ? new IOException("the client disconnected", failure)
                : new IOException("the client does not read", cause);
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
