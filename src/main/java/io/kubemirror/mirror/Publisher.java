package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Publishes the views of one mirror, and accounts for the memory of its history.
 *
 * <p>Its lock guards the log and every publication, because other writers may shorten the log of an
 * idle one. No thread waits for a second lock while it holds one, except for the monitor of the
 * account, under which nothing waits. Safe for use by any thread.
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
        update(() -> mirror.publish(change.apply(log)));
        Snapshot state = mirror.view().snapshot();
        memory.stored(state);
        shared.shorten();
    }

    /**
     * Does the same with content that does not follow from the log. A copy of the mirror is marked
     * as unusable before readers see the content, while no lock is held.
     */
    void replace(Function<EventLog, View> change) {
        Optional<MirrorFollower> copy = read(EventLog::follower);
        try {
            copy.ifPresent(MirrorFollower::replacing);
            change(change);
        } finally {
            copy.ifPresent(MirrorFollower::replaced);
        }
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

    private void shorten(Consumer<Snapshot> eviction) {
        update(
                () -> {
                    Optional.ofNullable(mirror.view().snapshot()).ifPresent(eviction);
                    mirror.shorten(log.recent());
                });
    }

    /** Readers whose memory is needed are ended after the lock: they may log, or end others. */
    private void update(Runnable step) {
        List<Runnable> aborts;
        lock.lock();
        try {
            runOrRestart(step);
            aborts = memory.logged(log.bytes(), mirror.view());
        } finally {
            lock.unlock();
        }
        aborts.forEach(Runnable::run);
    }

    /**
     * What has been done to the log cannot be undone, and readers wait for the view that goes with
     * it: the history restarts with the present state.
     */
    private void runOrRestart(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error failed) {
            View now = mirror.view();
            Snapshot state = now.snapshot();
            log.reset(state == null ? Snapshot.empty(Revision.ZERO) : state);
            mirror.publish(now.restarted(now.type(), state, log.recent()));
            throw failed;
        }
    }
}
