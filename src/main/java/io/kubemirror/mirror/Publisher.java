package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Publishes the views of one mirror, and accounts for the memory of its history.
 *
 * <p>Its lock guards the log and every publication, because other writers may shorten the log of an
 * idle one. No thread waits for a second lock while it holds one. Safe for use by any thread.
 */
final class Publisher {

    private final Mirror mirror;
    private final EventLog log;
    private final MirrorMemory.Account memory;
    private final MirrorMemory shared;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Creates the publisher of a mirror.
     *
     * @param memory the account of the mirror
     * @param shared the memory of all mirrors
     */
    Publisher(Mirror mirror, EventLog log, MirrorMemory.Account memory, MirrorMemory shared) {
        this.mirror = mirror;
        this.log = log;
        this.memory = memory;
        this.shared = shared;
    }

    /**
     * Changes the log, publishes the view that results, and then accounts for the memory. For the
     * thread of the writer only.
     */
    void change(Function<EventLog, View> change) {
        lock.lock();
        try {
            mirror.publish(change.apply(log));
            memory.logged(log.bytes(), mirror.view());
        } finally {
            lock.unlock();
        }
        Snapshot state = mirror.view().snapshot();
        memory.stored(state);
        shared.shorten();
    }

    /** Runs something that reads the log, while nothing is published. */
    <T> T read(Function<EventLog, T> reader) {
        lock.lock();
        try {
            return reader.apply(log);
        } finally {
            lock.unlock();
        }
    }

    /** Runs something while nothing is published and nothing leaves the log. */
    void locked(Consumer<EventLog> action) {
        lock.lock();
        try {
            action.accept(log);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Evicts the oldest changes until the given number of bytes is free or the log is empty. For
     * any thread that does not hold the lock of another one.
     */
    void shorten(long excess) {
        shorten(state -> log.shorten(excess, state));
    }

    /** Evicts all changes up to a revision. */
    void evict(Revision until) {
        shorten(_ -> log.evict(until));
    }

    /** Replaces the bounds of the history. */
    void bound(Window window) {
        mirror.bound(window);
        bound(() -> log.bound(window));
    }

    private void shorten(Consumer<Snapshot> eviction) {
        bound(() -> Optional.ofNullable(mirror.view().snapshot()).ifPresent(eviction));
    }

    private void bound(Runnable eviction) {
        lock.lock();
        try {
            eviction.run();
            mirror.shorten(log.recent());
            memory.logged(log.bytes(), mirror.view());
        } finally {
            lock.unlock();
        }
    }
}
