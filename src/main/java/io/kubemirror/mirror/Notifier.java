package io.kubemirror.mirror;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
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
final class Notifier {

    private static final Interest EVERYTHING = new Interest.Everything();

    private final SubscriptionIndex subscriptions = new SubscriptionIndex();

    /**
     * Whether a round will begin. It is cleared before the round looks at the newest view, and set
     * after a publication: a publication that the round does not see schedules the next.
     */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private final Executor executor;
    private final Supplier<View> newest;
    private final LongSupplier clock;

    /**
     * Written by the notifier at the end of a round, after it has rung; read by readers before they
     * look whether they were rung for, so that what they skip has rung for everybody it concerns.
     */
    private volatile Cursor signaledTo;

    /**
     * Nobody sleeps yet.
     *
     * @param executor runs one task at a time
     * @param newest what was published last
     * @param clock a monotonic clock in nanoseconds
     */
    Notifier(Executor executor, Supplier<View> newest, Cursor start, LongSupplier clock) {
        this.clock = clock;
        this.executor = executor;
        this.newest = newest;
        this.signaledTo = start;
    }

    /** Wakes everybody whom what was published concerns, soon and on another thread. */
    void signal() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                executor.execute(this::signalSubscriptions);
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
        try (Subscription subscription =
                new Subscription(this, EVERYTHING, () -> LockSupport.unpark(reader))) {
            if (subscription.arm(cursor)) {
                park(subscription, nanos);
            }
        }
    }

    private void park(Subscription subscription, long nanos) throws InterruptedException {
        long deadline = clock.getAsLong() + nanos;
        for (long left = nanos;
                left > 0 && subscription.isArmed();
                left = deadline - clock.getAsLong()) {
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
    Cursor signaledTo() {
        return signaledTo;
    }

    void add(Subscription subscription, Interest interest) {
        subscriptions.add(subscription, interest);
    }

    void remove(Subscription subscription, Interest interest) {
        subscriptions.remove(subscription, interest);
    }

    private void signalSubscriptions() {
        // Cleared first: whoever publishes from here on schedules another round.
        scheduled.set(false);
        View now = newest.get();
        Cursor from = signaledTo;
        subscriptions.signalUnfiltered(from);
        if (subscriptions.hasFiltered()) {
            signalFiltered(now, from);
        }
        signaledTo = now.cursor();
    }

    private void signalFiltered(View now, Cursor from) {
        @Nullable List<LoggedChange> changes = changes(now, from).orElse(null);
        if (changes == null) {
            subscriptions.signalAll(from);
            return;
        }
        for (LoggedChange logged : changes) {
            Interest.of(logged.change()).forEach(interest -> subscriptions.signal(interest, from));
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
