package io.kubemirror.mirror;

import io.kubemirror.model.Revision;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicReference;

/**
 * A reader that needs no thread while it waits: it sleeps after a cursor, and a bell is rung once
 * something of interest has come.
 *
 * <p>It keeps its bed while it is awake, where nobody rings for it; so going to sleep costs a look
 * at the newest view and nothing else. The bell is rung on the waker's thread, once for each sleep,
 * and at times for nothing. Everything else is for one thread at a time.
 */
public final class Subscription implements AutoCloseable {

    /** Of no history, so that nobody skips anything because of it. */
    private static final Cursor NEVER_ARMED = new Cursor(Revision.ZERO, -1);

    /** No position at all, not even an unknown one. */
    private static final long AWAKE = -2;

    private final Notifier notifier;
    private final Interest interest;
    private final Runnable listener;

    /**
     * What a ring was for, or anything at all while it is awake; null while it sleeps.
     *
     * <p>Two threads write it. The reader sets whatever it likes; the notifier only ever replaces
     * null, in one atomic step, so that it cannot overwrite the cursor of a reader that decides at
     * the same moment not to sleep. That reader would otherwise go on from the notifier's cursor
     * and skip what lies between. The write of null comes before the look at the newest view, and a
     * publication before the notifier's look at this, both volatile: one of the two sees the other.
     */
    private final AtomicReference<@Nullable Cursor> signaledAfter =
            new AtomicReference<>(NEVER_ARMED);

    /**
     * The position from which on every change has been examined for it since it went to sleep,
     * {@link #AWAKE} if it did not. For the reader alone.
     */
    private long examinedFrom = AWAKE;

    /**
     * A reader that is awake.
     *
     * @param interest what it is to be woken for
     * @param listener must return at once
     */
    Subscription(Notifier notifier, Interest interest, Runnable listener) {
        this.notifier = notifier;
        this.interest = interest;
        this.listener = listener;
        notifier.add(this, interest);
    }

    /**
     * Goes to sleep, unless something has come already.
     *
     * @param cursor everything up to here has been read
     * @return whether it sleeps; if so, the bell will be rung
     */
    public boolean arm(Cursor cursor) {
        signaledAfter.set(null);
        // Whatever is published from here on finds it asleep.
        if (notifier.isBeyond(cursor)) {
            signaledAfter.set(cursor);
            examinedFrom = AWAKE;
            return false;
        }
        examinedFrom = cursor.position();
        return true;
    }

    /**
     * Wakes up, if it sleeps, whether or not the bell was rung.
     *
     * @param cursor everything up to here has been read
     * @return a cursor, the same or a later one, up to which nothing of interest has come; where
     *     that cannot be proven its position is the one given, so that {@link Mirror#read} finds
     *     the gap
     */
    public Cursor disarm(Cursor cursor) {
        // In this order: a round rings before it says how far it has looked.
        Cursor looked = notifier.signaledTo();
        Cursor called = signaledAfter.getAndSet(cursor);
        Cursor later = cursor.latest(called == null ? looked : called);
        boolean proven = later.equals(cursor) || wasExamined(cursor, later);
        examinedFrom = AWAKE;
        return proven ? later : new Cursor(later.revision(), later.era(), cursor.position());
    }

    /**
     * Whether the notifier has examined for it what it is about to skip: it slept from the first
     * cursor on, and the last round came as far as the second. Who waits for everything skips
     * nothing.
     */
    private boolean wasExamined(Cursor from, Cursor to) {
        return !(interest instanceof Interest.Everything)
                && examinedFrom == from.position()
                && to.position() <= notifier.signaledTo().position();
    }

    /** Whether nobody has rung since it went to sleep. */
    boolean isArmed() {
        return signaledAfter.get() == null;
    }

    /**
     * Rings, because of something that happened after a cursor; called by the waker alone.
     *
     * @param after what happened up to here is not what it is woken for
     */
    void signal(Cursor after) {
        // Most that are awake are passed by without a write.
        if (signaledAfter.get() == null && signaledAfter.compareAndSet(null, after)) {
            listener.run();
        }
    }

    @Override
    public void close() {
        notifier.remove(this, interest);
    }
}
