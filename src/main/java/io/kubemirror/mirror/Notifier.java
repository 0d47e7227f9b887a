package io.kubemirror.mirror;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Signals waiting subscriptions when a change matches their interest.
 *
 * <p>The writer only schedules a round on the notifier's executor. The round reads the new changes
 * and signals the subscriptions that they match. A publication therefore costs the writer the same
 * with one reader and with 10,000, and a round costs as much as there are subscriptions to signal.
 *
 * <p>A subscription that was not signaled may skip the changes that the notifier has examined.
 * Otherwise a reader that waits for a rare change would leave the window while it waits.
 *
 * <p>Rejected: a monitor or condition, a lock-free stack of waiting readers, and a parked thread
 * for each reader; see src/docs/decisions.md.
 */
final class Notifier {

    private static final Interest EVERYTHING = new Interest.Everything();

    /**
     * All subscriptions, armed or not, grouped by interest. A group is changed and removed only
     * under the lock of its key, so no group is removed while it has a member.
     *
     * <p>Iteration visits every subscription that was added before the round began, because none is
     * moved. A subscription that is added later looks at the newest view before it waits.
     */
    private final Map<Interest, Set<Subscription>> groups = new ConcurrentHashMap<>();

    /**
     * The number of filtered subscriptions. It is incremented before one is added and decremented
     * after one is removed, so that it is never 0 while one exists. The size of a concurrent map
     * does not guarantee that: it sums counters that other threads change meanwhile and can be 0
     * although an element exists all the time. A round that relied on it would skip changes that
     * match a subscription.
     */
    private final AtomicInteger filtered = new AtomicInteger();

    /**
     * Whether a round is scheduled. A round clears it before it reads the newest view, and a
     * publication sets it afterwards: a publication that the round does not see schedules the next
     * round.
     */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    private final Executor executor;
    private final Supplier<View> newest;

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
            } catch (RejectedExecutionException closing) {
                // The executor is shut down. Readers wait with a time limit, so none waits for
                // ever.
                scheduled.set(false);
            }
        }
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

    void add(Subscription subscription, Interest interest) {
        if (!interest.equals(EVERYTHING)) {
            filtered.incrementAndGet();
        }
        groups.compute(
                interest,
                (_, group) -> {
                    Set<Subscription> members =
                            group == null ? ConcurrentHashMap.newKeySet() : group;
                    members.add(subscription);
                    return members;
                });
    }

    void remove(Subscription subscription, Interest interest) {
        groups.computeIfPresent(
                interest,
                (_, group) -> {
                    group.remove(subscription);
                    return group.isEmpty() ? null : group;
                });
        if (!interest.equals(EVERYTHING)) {
            filtered.decrementAndGet();
        }
    }

    /** Returns whether there is a subscription, armed or not; approximate while one is added. */
    boolean hasSubscriptions() {
        return !groups.isEmpty();
    }

    /** Returns whether there is a filtered subscription. */
    boolean hasFiltered() {
        return filtered.get() > 0;
    }

    private void signal(Interest interest, Cursor after) {
        Set<Subscription> group = groups.get(interest);
        if (group != null) {
            signalAll(group, after);
        }
    }

    private static void signalAll(Set<Subscription> group, Cursor after) {
        group.forEach(subscription -> subscription.signal(after));
    }

    private void signalSubscriptions() {
        // Cleared first: a later publication schedules another round.
        scheduled.set(false);
        View now = newest.get();
        Cursor from = signaledTo;
        signal(EVERYTHING, from);
        if (hasFiltered()) {
            signalFiltered(now, from);
        }
        signaledTo = now.cursor();
    }

    private void signalFiltered(View now, Cursor from) {
        @Nullable List<LoggedChange> changes = changes(now, from).orElse(null);
        if (changes == null) {
            groups.values().forEach(group -> signalAll(group, from));
            return;
        }
        for (LoggedChange logged : changes) {
            Interest.of(logged.change()).forEach(interest -> signal(interest, from));
        }
    }

    /** Returns the changes since the last round, empty if they are not in the log any more. */
    private static Optional<List<LoggedChange>> changes(View now, Cursor from) {
        boolean continues =
                now.era() == from.era() && !from.revision().isBefore(now.recent().reach());
        return continues
                ? now.recent().after(from.revision(), Integer.MAX_VALUE)
                : Optional.empty();
    }
}
