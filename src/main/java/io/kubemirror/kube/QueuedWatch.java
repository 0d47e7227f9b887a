package io.kubemirror.kube;

import io.kubemirror.kube.WatchFrame.Broken.Kind;
import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A watch that a virtual thread of its own reads into a queue.
 *
 * <p>A full queue ends the stream instead of stopping the reading: a server closes a watch whose
 * reader stopped anyway, but later and with frames lost in between. Whoever reads the queue to its
 * end can go on from the last frame with another watch (PP-5).
 */
final class QueuedWatch implements ReadAheadWatch {

    private final WatchStream source;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    /** This and all below it are guarded by the lock. */
    private final Deque<WatchFrame> queue = new ArrayDeque<>();

    private ReadAhead left;
    private Revision newest = Revision.ZERO;
    private @Nullable WatchFrame ending;

    private QueuedWatch(WatchStream source, ReadAhead bound) {
        this.source = source;
        this.left = bound;
    }

    /** Begins to read a stream ahead, which nobody else may read from then on. */
    static QueuedWatch of(WatchStream source, ReadAhead bound) {
        QueuedWatch watch = new QueuedWatch(source, bound);
        Thread.ofVirtual().name("read-ahead").start(watch::readAll);
        return watch;
    }

    private void readAll() {
        try {
            while (take(source.next())) {
                // Until the end or the bound.
            }
        } finally {
            // Only a defect leaves the loop without an ending; whoever waits must learn of it.
            take(new WatchFrame.Broken("reading ahead failed", Kind.MALFORMED));
            source.close();
        }
    }

    /** Whether there is more to read; nothing follows the end. */
    private boolean take(WatchFrame frame) {
        lock.lock();
        try {
            if (ending == null) {
                keep(frame);
            }
            arrived.signalAll();
            return ending == null;
        } finally {
            lock.unlock();
        }
    }

    private void keep(WatchFrame frame) {
        switch (frame) {
            case WatchFrame.Added(var object, var _) ->
                    keep(frame, object.revision(), object.json());
            case WatchFrame.Modified(var object) -> keep(frame, object.revision(), object.json());
            case WatchFrame.Deleted(var object) -> keep(frame, object.revision(), object.json());
            case WatchFrame.Bookmark(var revision, var _) -> keep(frame, revision, new byte[0]);
            case WatchFrame.Foreign _ -> keep(frame, newest, new byte[0]);
            case WatchFrame.Ended _,
                    WatchFrame.Broken _,
                    WatchFrame.Failed _,
                    WatchFrame.Untrackable _ ->
                    ending = frame;
        }
    }

    private void keep(WatchFrame frame, Revision revision, byte[] json) {
        queue.addLast(frame);
        newest = Revision.later(newest, revision);
        left = left.less(json.length);
        if (left.isNone()) {
            ending = new WatchFrame.Broken("too much was read ahead", Kind.CUT);
        }
    }

    /** {@inheritDoc} Returns {@link WatchFrame.Broken} when the thread is interrupted. */
    @Override
    public WatchFrame next() {
        lock.lock();
        try {
            while (queue.isEmpty() && ending == null) {
                arrived.await();
            }
            WatchFrame frame = queue.pollFirst();
            return frame == null ? end() : frame;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new WatchFrame.Broken("interrupted", Kind.CUT);
        } finally {
            lock.unlock();
        }
    }

    private WatchFrame end() {
        return Optional.ofNullable(ending).orElseThrow();
    }

    @Override
    public Optional<WatchFrame> ending() {
        lock.lock();
        try {
            return Optional.ofNullable(ending);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Revision newest() {
        lock.lock();
        try {
            return newest;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public ReadAhead left() {
        lock.lock();
        try {
            return left;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        source.close();
    }
}
