package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * A reader that needs no thread while it waits: it arms itself at a cursor, and its listener is
 * called once there is a matching change.
 *
 * <p>A subscription stays registered between waits and is signaled only while it is armed. Arming
 * it therefore costs only a look at the newest view. The notifier's thread calls the listener once
 * for each wait, and may call it without a matching change. All other methods are for one thread at
 * a time.
 */
public final class Subscription implements AutoCloseable {

    /** A cursor of no history, so that no reader skips anything because of it. */
    private static final Cursor NEVER_ARMED = new Cursor(Revision.ZERO, -1);

    /** Not a position, not even the unknown one. */
    private static final long DISARMED = -2;

    private static final AtomicReferenceFieldUpdater<Subscription, @Nullable Cursor> SIGNALED =
            AtomicReferenceFieldUpdater.newUpdater(
                    Subscription.class, Cursor.class, "signaledAfter");

    private final Notifier notifier;
    private final Selection selection;
    private final Listener listener;

    /**
     * The cursor of the last signal, or any other value while the subscription is not armed; null
     * while it is armed.
     *
     * <p>Two threads write it. The reader sets any value. The notifier only replaces null, in one
     * atomic step, so that it cannot overwrite the cursor of a reader that decides at the same
     * moment not to wait. That reader would otherwise continue from the notifier's cursor and skip
     * what lies between. The reader writes null before it looks at the newest view, and the writer
     * publishes before the notifier looks at this field. All of these are volatile, so one of the
     * two threads sees the write of the other.
     *
     * <p>A field and not an atomic object, because a change touches the subscription of every watch
     * that it concerns, and few of 10,000 are in a cache of the processor.
     */
    private volatile @Nullable Cursor signaledAfter = NEVER_ARMED;

    /**
     * The position from which on every change has been examined for this subscription since it was
     * armed, {@link #DISARMED} if it is not armed. Written by the reader, before it arms.
     */
    private volatile long examinedFrom = DISARMED;

    /** What a subscription signals. */
    @FunctionalInterface
    public interface Listener {

        /** Called on a thread of the mirror. Must return at once. */
        void signal();
    }

    /**
     * Creates a subscription that is not armed.
     *
     * @param selection of the changes that it is signaled for
     */
    Subscription(Notifier notifier, Selection selection, Listener listener) {
        this.notifier = notifier;
        this.selection = selection;
        this.listener = listener;
        notifier.add(this, selection);
    }

    /**
     * Lets changes of {@link UpstreamStatus#state} signal the subscription, too. A reader arms the
     * subscription before it looks at the state, and the writer reports the state before the
     * notifier looks at the subscription, so that one of the two sees the other.
     */
    public void followState() {
        notifier.addStateful(this);
    }

    /**
     * Arms the subscription, unless there is a change already.
     *
     * @param cursor everything up to here has been read
     * @return whether it is armed; if so, the listener will be called
     */
    public boolean arm(Cursor cursor) {
        // The notifier reads it once it finds the subscription armed.
        examinedFrom = cursor.position();
        signaledAfter = null;
        // A later publication finds the subscription armed.
        if (notifier.isBeyond(cursor)) {
            signaledAfter = cursor;
            examinedFrom = DISARMED;
            return false;
        }
        return true;
    }

    /**
     * Disarms the subscription if it is armed, whether or not it was signaled.
     *
     * @param cursor everything up to here has been read
     * @return a cursor, the same or a later one, up to which there is no matching change; if that
     *     cannot be proven, its position is the given one, so that {@link Mirror#read} finds the
     *     gap
     */
    public Cursor disarm(Cursor cursor) {
        // In this order: a round signals before it publishes the cursor that it has reached.
        Cursor looked = notifier.signaledTo();
        Cursor called = SIGNALED.getAndSet(this, cursor);
        Cursor later = cursor.latest(called == null ? looked : called);
        boolean proven = later.equals(cursor) || wasExamined(cursor, later);
        examinedFrom = DISARMED;
        return proven ? later : new Cursor(later.revision(), later.era(), cursor.position());
    }

    /**
     * Returns whether the notifier has examined all changes between two cursors for this
     * subscription: it was armed at the first cursor, and the last round reached the second. A
     * subscription to everything skips nothing.
     */
    private boolean wasExamined(Cursor from, Cursor to) {
        return !selection.isEverything()
                && examinedFrom == from.position()
                && to.position() <= notifier.signaledTo().position();
    }

    /**
     * Returns the cursor that the first change that the reader waits for follows, or an earlier
     * one; null while the subscription is armed. Thread-safe.
     */
    public @Nullable Cursor signaledAfter() {
        return signaledAfter;
    }

    /**
     * Signals the subscription because of a change after a cursor. Called by the notifier only.
     *
     * @param after the cursor up to which no change matches
     */
    void signal(Cursor after) {
        // Most subscriptions that are not armed are skipped without a write.
        if (signaledAfter == null && SIGNALED.compareAndSet(this, null, after)) {
            try {
                listener.signal();
            } catch (RuntimeException | Error failed) {
                // The next round signals it again.
                SIGNALED.compareAndSet(this, after, null);
                notifier.failed(failed);
            }
        }
    }

    /** Signals the subscription if a change after a cursor matches. Called by the notifier only. */
    void signal(Change change, Cursor after) {
        if (signaledAfter == null && selection.matches(change)) {
            signal(after);
        }
    }

    /**
     * Signals the subscription if its reader has named a revision that the mirror had not reached:
     * if the mirror has missed the state of that revision, the reader must not skip what it missed.
     * Called by the notifier only.
     *
     * @param after the cursor up to which no change matches
     */
    void signalAhead(Cursor after) {
        // In this order: see arm.
        if (signaledAfter == null && examinedFrom == Cursor.UNKNOWN) {
            signal(after);
        }
    }

    @Override
    public void close() {
        notifier.remove(this, selection);
    }
}
