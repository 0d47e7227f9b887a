package io.kubemirror.kube.json;

import module java.base;

import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;

import org.jspecify.annotations.Nullable;

/**
 * A watch that a dedicated virtual thread reads into a queue.
 *
 * <p>A full queue ends the stream instead of pausing it. A server closes a watch whose client does
 * not read anyway, but later and with lost frames. A caller that reads the queue to its end can
 * continue after the last frame with another watch (list-watch.md#pp-5).
 */
public final class QueuedWatch implements WatchStream {

    /** The most frames in the queue: the changes of some minutes in a busy collection. */
    private static final int FRAMES = 100_000;

    /** The most bytes of objects in the queue. */
    private static final long BYTES = 64L << 20;

    /** The size of a frame without an object, in bytes. */
    private static final long SMALL = 64;

    private final WatchStream source;
    private final int mostFrames;
    private final long mostBytes;
    private final MemoryBudget budget;

    /** This field and all fields below it are guarded by the monitor of this watch. */
    private final Deque<WatchFrame> queue = new ArrayDeque<>();

    private long bytes;
    private boolean closed;
    private @Nullable WatchFrame ending;

    private QueuedWatch(WatchStream source, int frames, long bytes, MemoryBudget budget) {
        this.source = source;
        this.mostFrames = frames;
        this.mostBytes = bytes;
        this.budget = budget;
    }

    /**
     * Returns a stream as a request wants it: read ahead, or as it is.
     *
     * @param source the stream, which the caller must not read any more
     * @param budget the budget for frames until they are read or the watch is closed
     */
    public static WatchStream of(WatchRequest request, WatchStream source, MemoryBudget budget) {
        return request.ahead() ? ahead(source, FRAMES, BYTES, budget) : source;
    }

    static QueuedWatch ahead(WatchStream source, int frames, long bytes, MemoryBudget budget) {
        QueuedWatch watch = new QueuedWatch(source, frames, bytes, budget);
        Thread.ofVirtual()
                .name(Thread.currentThread().getName() + "-read-ahead")
                .start(watch::readAll);
        return watch;
    }

    private void readAll() {
        try {
            while (take(source.next())) {
                // Reads until the end or the limit.
            }
        } finally {
            // The loop leaves without an ending only if it has a bug. A waiting reader must be
            // notified.
            take(new WatchFrame.Untrackable("internal error while reading the watch"));
            source.close();
        }
    }

    /** Adds a frame to the queue. Returns whether more frames may follow; none follow the end. */
    private synchronized boolean take(WatchFrame frame) {
        if (ending == null) {
            ending = keep(frame);
        }
        notifyAll();
        return ending == null;
    }

    /** Returns the end of the queue, null if more may follow. */
    private @Nullable WatchFrame keep(WatchFrame frame) {
        if (frame instanceof WatchFrame.End) {
            return frame;
        }
        boolean full = queue.size() >= mostFrames || bytes >= mostBytes;
        long size = size(frame);
        if (closed || full || !budget.tryAcquire(size)) {
            return new WatchFrame.Broken("too many watch events are buffered", BrokenKind.CUT);
        }
        queue.addLast(frame);
        bytes += size;
        return null;
    }

    private static long size(WatchFrame frame) {
        return frame instanceof WatchFrame.ObjectEvent event ? event.object().heapBytes() : SMALL;
    }

    /** {@inheritDoc} Returns {@link WatchFrame.Broken} when the thread is interrupted. */
    @Override
    public synchronized WatchFrame next() {
        try {
            while (queue.isEmpty() && ending == null) {
                wait();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new WatchFrame.Broken("interrupted", BrokenKind.CUT);
        }
        WatchFrame frame = queue.pollFirst();
        if (frame == null) {
            return Objects.requireNonNull(ending);
        }
        budget.release(size(frame));
        bytes -= size(frame);
        return frame;
    }

    /** {@inheritDoc} What has arrived is lost. */
    @Override
    public void close() {
        discard();
        source.close();
    }

    private synchronized void discard() {
        closed = true;
        queue.forEach(frame -> budget.release(size(frame)));
        queue.clear();
        bytes = 0;
    }
}
