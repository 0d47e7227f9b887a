package io.kubemirror.mirror;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Where readers sleep until something happens that they are interested in.
 *
 * <p>The writer only tells the waker that there is something to do; the waker looks at what is new
 * and rings for those whom it concerns. So a publication costs the writer the same with one reader
 * and with 10,000, and a change costs the waker as much as there are readers whom it is about.
 *
 * <p>A reader who was not woken may skip what the waker has looked at meanwhile: otherwise one who
 * waits for something rare would fall out of the window in its sleep.
 *
 * <p>Rejected: a monitor or a condition, whose woken readers queue for one lock (232 ms to the last
 * of 9,000); a lock-free stack of waiting readers, which is as fast but keeps every reader that
 * gave up until the next change, on a quiet collection perhaps for ever; and a parked thread for
 * each reader, virtual as it may be: to wake it cost more than all that it had to do then.
 */
final class Wakeups {

    private static final Interest EVERYTHING = new Interest.Everything();

    private final Dormitory sleepers = new Dormitory();

    /**
     * Whether a round will begin. It is cleared before the round looks at the newest view, and set
     * after a publication: a publication that the round does not see schedules the next.
     */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private final Executor waker;
    private final Supplier<View> newest;

    /**
     * Written by the notifier at the end of a round, after it has rung; read by readers before they
     * look whether they were rung for, so that what they skip has rung for everybody it concerns.
     */
    private volatile Cursor looked;

    /**
     * Nobody sleeps yet.
     *
     * @param waker runs one task at a time
     * @param newest what was published last
     */
    Wakeups(Executor waker, Supplier<View> newest, Cursor start) {
        this.waker = waker;
        this.newest = newest;
        this.looked = start;
    }

    /** Wakes everybody whom what was published concerns, soon and on another thread. */
    void signal() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                waker.execute(this::round);
            } catch (RejectedExecutionException closing) {
                // Readers have limits to their patience, and nobody waits while the process ends.
                scheduled.set(false);
            }
        }
    }

    /**
     * Waits on the reader's own thread until anything has come after a cursor.
     *
     * @param nanos how long at most; nothing or less for no wait at all
     * @throws InterruptedException if the thread is interrupted
     */
    void await(Cursor cursor, long nanos) throws InterruptedException {
        if (nanos <= 0 || isBeyond(cursor)) {
            return;
        }
        Thread reader = Thread.currentThread();
        try (Sleeper sleeper = new Sleeper(this, EVERYTHING, () -> LockSupport.unpark(reader))) {
            if (sleeper.sleep(cursor)) {
                park(sleeper, nanos);
            }
        }
    }

    private void park(Sleeper sleeper, long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        for (long left = nanos;
                left > 0 && sleeper.isAsleep();
                left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** Whether anything has come after a cursor. */
    boolean isBeyond(Cursor cursor) {
        return newest.get().isBeyond(cursor);
    }

    /** Whom anything up to here concerns has been woken for it. */
    Cursor looked() {
        return looked;
    }

    void enter(Sleeper sleeper, Interest interest) {
        sleepers.enter(sleeper, interest);
    }

    void leave(Sleeper sleeper, Interest interest) {
        sleepers.leave(sleeper, interest);
    }

    private void round() {
        // Cleared first: whoever publishes from here on schedules another round.
        scheduled.set(false);
        View now = newest.get();
        Cursor from = looked;
        sleepers.wakeUnpicky(from);
        if (sleepers.hasPicky()) {
            wakePicky(now, from);
        }
        looked = now.cursor();
    }

    private void wakePicky(View now, Cursor from) {
        @Nullable List<LoggedChange> changes = changes(now, from).orElse(null);
        if (changes == null) {
            sleepers.wakeAll(from);
            return;
        }
        for (LoggedChange logged : changes) {
            Interest.of(logged.change()).forEach(interest -> sleepers.wake(interest, from));
        }
    }

    /** What has come since, empty if that cannot be told. */
    private static Optional<List<LoggedChange>> changes(View now, Cursor from) {
        boolean continues =
                now.era() == from.era() && !from.revision().isBefore(now.recent().reach());
        return continues
                ? now.recent().after(from.revision(), Integer.MAX_VALUE)
                : Optional.empty();
    }
}
