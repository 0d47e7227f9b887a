package io.kubemirror.kube.json;

import module java.base;

import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.Revision;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.source.WatchStream;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadLimits;
import io.kubemirror.source.WatchStream.UpstreamWatch.ReadAheadWatch;

import org.jspecify.annotations.Nullable;

/**
 * A watch that a dedicated virtual thread reads into a queue.
 *
 * <p>A full queue ends the stream instead of pausing it. A server closes a watch whose client does
 * not read anyway, but later and with lost frames. A caller that reads the queue to its end can
 * continue after the last frame with another watch (list-watch.md#pp-5).
 */
public final class QueuedWatch implements ReadAheadWatch {

    /** The size of a frame without an object, in bytes. */
    private static final long SMALL = 64;

    private final WatchStream source;

    /** This field and all fields below it are guarded by the monitor of this watch. */
    private final Deque<WatchFrame> queue = new ArrayDeque<>();

    private final MemoryBudget budget;
    private ReadAheadLimits left;
    private long bytes;
    private boolean closed;
    private Revision newest = Revision.ZERO;
    private @Nullable WatchFrame ending;

    private QueuedWatch(WatchStream source, ReadAheadLimits bound, MemoryBudget budget) {
        this.source = source;
        this.left = bound;
        this.budget = budget;
    }

    /**
     * Starts to read a stream ahead. The caller must not read the stream afterward.
     *
     * @param bound the limits of reading ahead
     * @param budget the budget for frames until they are read or the watch is closed
     */
    public static QueuedWatch of(WatchStream source, ReadAheadLimits bound, MemoryBudget budget) {
        QueuedWatch watch = new QueuedWatch(source, bound, budget);
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
            keep(frame);
        }
        notifyAll();
        return ending == null;
    }

    private void keep(WatchFrame frame) {
        switch (frame) {
            case WatchFrame.ObjectEvent event -> keep(frame, event.object().revision());
            case WatchFrame.Bookmark(var revision, var _) -> keep(frame, revision);
            case WatchFrame.Foreign _ -> keep(frame, newest);
            case WatchFrame.End _ -> ending = frame;
        }
    }

    private void keep(WatchFrame frame, Revision revision) {
        long size = size(frame);
        if (closed || !budget.tryAcquire(size)) {
            left = new ReadAheadLimits(0, 0);
        } else {
            queue.addLast(frame);
            bytes += size;
            newest = Revision.later(newest, revision);
            left = left.less((int) size);
        }
        if (left.isNone()) {
            ending = new WatchFrame.Broken("too many watch events are buffered", BrokenKind.CUT);
        }
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
            return ending().orElseThrow();
        }
        budget.release(size(frame));
        bytes -= size(frame);
        return frame;
    }

    @Override
    public synchronized Optional<WatchFrame> ending() {
        return Optional.ofNullable(ending);
    }

    @Override
    public synchronized Revision newest() {
        return newest;
    }

    @Override
    public synchronized ReadAheadLimits buffered() {
        return new ReadAheadLimits(queue.size(), bytes);
    }

    @Override
    public synchronized ReadAheadLimits left() {
        return left;
    }

    @Override
    public void stop() {
        take(new WatchFrame.Broken("the watch is not needed any longer", BrokenKind.CUT));
        source.close();
    }

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
