package io.kubemirror.mirror;

import module java.base;

import io.kubemirror.model.Change;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;

import org.jspecify.annotations.Nullable;

/**
 * Signals waiting subscriptions when there is a change that they wait for.
 *
 * <p>The writer only schedules a round on the notifier's executor. The round reads the new changes
 * and signals the subscriptions that they match. A publication therefore costs the writer the same
 * with one reader and with 10,000, and a round costs as much as there are subscriptions to signal.
 *
 * <p>Subscriptions are looked up by the {@linkplain Interest interests} of a change, and their
 * whole selection is evaluated then. Rejected: matching every change with the selection of every
 * waiting subscription, as the API server's watch cache does for all but a few indexed fields.
 *
 * <p>A subscription that was not signaled may skip the changes that the notifier has examined.
 * Otherwise a reader that waits for a rare change would leave the window while it waits.
 *
 * <p>Rejected: a monitor or condition, a lock-free stack of waiting readers, and a parked thread
 * for each reader; see src/docs/design.md.
 */
final class Notifier {

    /** The subscriptions that also wait for the state of the mirror, armed or not. */
    private final Set<Subscription> stateful = ConcurrentHashMap.newKeySet();

    /** The subscriptions that wait for every change, armed or not. */
    private final Set<Subscription> unfiltered = ConcurrentHashMap.newKeySet();

    /**
     * All other subscriptions, armed or not, grouped by interest. A group is changed and removed
     * only under the lock of its interest, so no group is removed while it has a member.
     *
     * <p>Iteration visits every subscription that was added before the round began, because no
     * group is replaced. A subscription that is added later looks at the newest view before it
     * waits.
     */
    private final Map<Interest, Set<Subscription>> groups = new ConcurrentHashMap<>();

    /**
     * Whether a round is scheduled. A round clears it before it reads the newest view, and a
     * publication sets it afterwards: a publication that the round does not see schedules the next
     * round.
     */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /**
     * Whether the state of the mirror has changed since the last round. It is set before a round is
     * scheduled and cleared by the round, before readers that it signals look at the state.
     */
    private final AtomicBoolean stateChanged = new AtomicBoolean();

    private final Executor executor;
    private final Supplier<View> newest;

    /** What a listener has thrown first in this round. Used by the thread of the round only. */
    private @Nullable Throwable failure;

    /**
     * The cursor that the last round has reached. The notifier writes it at the end of a round,
     * after all signals. Readers read it before they check for a signal, so that every subscription
     * affected by the changes that they skip has been signaled.
     */
    private volatile Cursor signaledTo;

    /**
     * Creates a notifier without subscriptions.
     *
     * @param executor runs one task at a time
     * @param newest supplies the view that was published last
     */
    Notifier(Executor executor, Supplier<View> newest, Cursor start) {
        this.executor = executor;
        this.newest = newest;
        this.signaledTo = start;
    }

    /** Schedules a round that signals the subscriptions affected by the last publication. */
    void signal() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                executor.execute(this::signalSubscriptions);
            } catch (RuntimeException | Error _) {
                // The executor is shut down, or has no thread. It must not take the writer with it:
                // the next publication schedules a round, and readers wait with a time limit.
                scheduled.set(false);
            }
        }
    }

    /** Schedules a round that signals the subscriptions that wait for the state of the mirror. */
    void signalState() {
        stateChanged.set(true);
        signal();
    }

    /** Returns whether there is a change after a cursor. */
    boolean isBeyond(Cursor cursor) {
        return newest.get().isBeyond(cursor);
    }

    /**
     * Returns the cursor that the last round has reached: every subscription affected by changes up
     * to it has been signaled.
     */
    Cursor signaledTo() {
        return signaledTo;
    }

    void add(Subscription subscription, Selection selection) {
        if (selection.isEverything()) {
            unfiltered.add(subscription);
            return;
        }
        groups.compute(
                Interest.of(selection),
                (_, present) -> {
                    Set<Subscription> group =
                            present == null ? ConcurrentHashMap.newKeySet(1) : present;
                    group.add(subscription);
                    return group;
                });
    }

    /** Lets a subscription wait for the state of the mirror, too. */
    void addStateful(Subscription subscription) {
        stateful.add(subscription);
    }

    void remove(Subscription subscription, Selection selection) {
        stateful.remove(subscription);
        if (selection.isEverything()) {
            unfiltered.remove(subscription);
            return;
        }
        groups.computeIfPresent(
                Interest.of(selection),
                (_, group) -> {
                    group.remove(subscription);
                    return group.isEmpty() ? null : group;
                });
    }

    /** Returns whether there is a subscription, armed or not. */
    boolean hasSubscriptions() {
        return !unfiltered.isEmpty() || !groups.isEmpty();
    }

    private static void signalAll(Set<Subscription> group, Cursor after) {
        group.forEach(subscription -> subscription.signal(after));
    }

    private void signalSubscriptions() {
        // Cleared first: a later publication schedules another round.
        scheduled.set(false);
        View now = newest.get();
        Cursor from = signaledTo;
        if (stateChanged.getAndSet(false)) {
            signalAll(stateful, from);
        }
        if (!now.cursor().equals(from)) {
            signalAll(unfiltered, from);
            signalFiltered(now, from);
            signaledTo = now.cursor();
        }
        Throwable failed = failure;
        failure = null;
        switch (failed) {
            case Error error -> throw error;
            case RuntimeException defect -> throw defect;
            case null, default -> {}
        }
    }

    /** Ends the round with what a listener has thrown, after all others have been called. */
    void failed(Throwable thrown) {
        failure = failure == null ? thrown : failure;
    }

    private void signalFiltered(View now, Cursor from) {
        Revision reach = now.recent().coverage().reach();
        if (now.era() != from.era() || reach.follows(from.revision())) {
            // Changes since the last round are not in the log any more.
            eachFiltered(subscription -> subscription.signal(from));
            return;
        }
        if (now.recent().coverage().hasMissedAfter(from.revision())) {
            eachFiltered(subscription -> subscription.signalAhead(from));
        }
        for (LoggedChange logged : now.recent().after(from.revision(), Integer.MAX_VALUE)) {
            Change change = logged.change();
            for (Interest interest : Interest.of(change)) {
                groups.getOrDefault(interest, Set.of())
                        .forEach(subscription -> subscription.signal(change, from));
            }
        }
    }

    private void eachFiltered(Consumer<Subscription> action) {
        groups.values().forEach(group -> group.forEach(action));
    }
}
