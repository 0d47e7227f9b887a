package io.kubemirror.mirror;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * All subscriptions, armed or not, grouped by interest.
 *
 * <p>Most subscriptions are unfiltered, so those have a permanent set of their own. The set of an
 * interest is removed with its last subscription.
 */
final class SubscriptionIndex {

    private static final Interest EVERYTHING = new Interest.Everything();

    /**
     * Iteration visits every subscription that was added before the round began, because none is
     * moved.
     */
    private final Set<Subscription> unfiltered = ConcurrentHashMap.newKeySet();

    /**
     * A set is changed and removed only under the lock of its key, so no set is removed while it
     * has a member.
     */
    private final Map<Interest, Set<Subscription>> filtered = new ConcurrentHashMap<>();

    /**
     * The number of filtered subscriptions. It is incremented before one is added and decremented
     * after one is removed, so that it is never 0 while one exists. The size of a concurrent map
     * does not guarantee that: it sums counters that other threads change meanwhile and can be 0
     * although an element exists all the time. A round that relied on it would skip changes that
     * match a subscription.
     */
    private final AtomicInteger filteredCount = new AtomicInteger();

    void add(Subscription subscription, Interest interest) {
        if (interest.equals(EVERYTHING)) {
            unfiltered.add(subscription);
            return;
        }
        filteredCount.incrementAndGet();
        filtered.compute(
                interest,
                (_, room) -> {
                    Set<Subscription> subscriptions =
                            room == null ? ConcurrentHashMap.newKeySet() : room;
                    subscriptions.add(subscription);
                    return subscriptions;
                });
    }

    void remove(Subscription subscription, Interest interest) {
        if (interest.equals(EVERYTHING)) {
            unfiltered.remove(subscription);
            return;
        }
        filtered.computeIfPresent(
                interest,
                (_, room) -> {
                    room.remove(subscription);
                    return room.isEmpty() ? null : room;
                });
        filteredCount.decrementAndGet();
    }

    /** Returns whether there is a filtered subscription. */
    boolean hasFiltered() {
        return filteredCount.get() > 0;
    }

    /** Signals the unfiltered subscriptions, because of a change after a cursor. */
    void signalUnfiltered(Cursor after) {
        unfiltered.forEach(subscription -> subscription.signal(after));
    }

    /** Signals the subscriptions with an interest. */
    void signal(Interest interest, Cursor after) {
        Set<Subscription> room = filtered.get(interest);
        if (room != null) {
            room.forEach(subscription -> subscription.signal(after));
        }
    }

    /** Signals all subscriptions. */
    void signalAll(Cursor after) {
        signalUnfiltered(after);
        filtered.values().forEach(room -> room.forEach(subscription -> subscription.signal(after)));
    }
}
