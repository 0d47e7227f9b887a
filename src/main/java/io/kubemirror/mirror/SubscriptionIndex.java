package io.kubemirror.mirror;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who sleeps here, or is awake between two sleeps, by what they wait for.
 *
 * <p>Most readers wait for everything, so those have a set of their own which is never removed; the
 * others' sets go with the last who sleeps in them.
 */
final class SubscriptionIndex {

    private static final Interest EVERYTHING = new Interest.Everything();

    /** Iteration visits every sleeper that entered before the round began, as nobody is moved. */
    private final Set<Subscription> unfiltered = ConcurrentHashMap.newKeySet();

    /**
     * A set is changed and removed under the lock of its key only, so none is lost with a member.
     */
    private final Map<Interest, Set<Subscription>> filtered = new ConcurrentHashMap<>();

    /**
     * How many wait for something in particular: counted before they enter and after they have
     * left, so that it is never 0 while one is there. The size of a concurrent map promises no such
     * thing: it adds up counters that others change meanwhile, and can be 0 although there is an
     * element all the time. A round that believed it would skip changes that concern somebody.
     */
    private final AtomicInteger pickies = new AtomicInteger();

    void add(Subscription subscription, Interest interest) {
        if (interest.equals(EVERYTHING)) {
            unfiltered.add(subscription);
            return;
        }
        pickies.incrementAndGet();
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
        pickies.decrementAndGet();
    }

    /** Whether anybody waits for something in particular. */
    boolean hasFiltered() {
        return pickies.get() > 0;
    }

    /** Wakes those who wait for everything, because of what happened after a cursor. */
    void signalUnfiltered(Cursor after) {
        unfiltered.forEach(subscription -> subscription.signal(after));
    }

    /** Wakes those who wait for this in particular. */
    void signal(Interest interest, Cursor after) {
        Set<Subscription> room = filtered.get(interest);
        if (room != null) {
            room.forEach(subscription -> subscription.signal(after));
        }
    }

    /** Wakes everybody. */
    void signalAll(Cursor after) {
        signalUnfiltered(after);
        filtered.values().forEach(room -> room.forEach(subscription -> subscription.signal(after)));
    }
}
