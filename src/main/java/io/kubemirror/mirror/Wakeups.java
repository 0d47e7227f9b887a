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
 * and unparks those whom it concerns. So a publication costs the writer the same with one reader
 * and with 10,000, and a change costs the waker as much as there are readers whom it is about.
 *
 * <p>A reader who was not woken may skip what the waker has looked at meanwhile: otherwise one who
 * waits for something rare would fall out of the window in its sleep.
 *
 * <p>Rejected: a monitor or a condition, whose woken readers queue for one lock (232 ms to the last
 * of 9,000); and a lock-free stack of parked readers, which is as fast but keeps every reader that
 * gave up until the next change, on a quiet collection perhaps for ever.
 */
final class Wakeups {

    private final Dormitory sleepers = new Dormitory();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Executor waker;
    private final Supplier<View> newest;
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
     * Sleeps until something of interest has come after a cursor.
     *
     * @param nanos how long at most; nothing or less for no sleep at all
     * @return a cursor, the same or a later one, up to which nothing of interest has come
     * @throws InterruptedException if the thread is interrupted
     */
    Cursor await(Cursor cursor, Interest interest, long nanos) throws InterruptedException {
        if (nanos <= 0 || newest.get().isBeyond(cursor)) {
            return cursor;
        }
        Sleeper sleeper = new Sleeper();
        sleepers.enter(sleeper, interest);
        try {
            // Whatever is published from here on finds the sleeper.
            return newest.get().isBeyond(cursor) ? cursor : sleep(sleeper, cursor, nanos);
        } finally {
            sleepers.leave(sleeper, interest);
        }
    }

    private Cursor sleep(Sleeper sleeper, Cursor cursor, long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        long remaining = nanos;
        // In this order: a round calls the sleepers before it says how far it has looked.
        Cursor safe = looked;
        Cursor call = sleeper.call();
        while (call == null && remaining > 0) {
            LockSupport.parkNanos(this, remaining);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            remaining = deadline - System.nanoTime();
            safe = looked;
            call = sleeper.call();
        }
        return cursor.orLater(call == null ? safe : call);
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
