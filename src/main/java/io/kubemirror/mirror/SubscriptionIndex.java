package io.kubemirror.mirror;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * All subscriptions, armed or not, grouped by interest. The group of an interest is removed with
 * its last subscription.
 *
 * <p>Iteration visits every subscription that was added before the round began, because none is
 * moved. A subscription that is added later looks at the newest view before it waits.
 */
final class SubscriptionIndex {

    private static final Interest EVERYTHING = new Interest.Everything();

    /**
     * A group is changed and removed only under the lock of its key, so no group is removed while
     * it has a member.
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

    /** Returns whether there is a filtered subscription. */
    boolean hasFiltered() {
        return filtered.get() > 0;
    }

    /** Signals the unfiltered subscriptions, because of a change after a cursor. */
    void signalUnfiltered(Cursor after) {
        signal(EVERYTHING, after);
    }

    /** Signals the subscriptions with an interest. */
    void signal(Interest interest, Cursor after) {
        Set<Subscription> group = groups.get(interest);
        if (group != null) {
            group.forEach(subscription -> subscription.signal(after));
        }
    }

    /** Signals all subscriptions. */
    void signalAll(Cursor after) {
        groups.values().forEach(group -> group.forEach(member -> member.signal(after)));
    }
}
