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
final class Dormitory {

    private static final Interest EVERYTHING = new Interest.Everything();

    /** Iteration visits every sleeper that entered before the round began, as nobody is moved. */
    private final Set<Sleeper> everybody = ConcurrentHashMap.newKeySet();

    /**
     * A set is changed and removed under the lock of its key only, so none is lost with a member.
     */
    private final Map<Interest, Set<Sleeper>> picky = new ConcurrentHashMap<>();

    /**
     * How many wait for something in particular: counted before they enter and after they have
     * left, so that it is never 0 while one is there. The size of a concurrent map promises no such
     * thing: it adds up counters that others change meanwhile, and can be 0 although there is an
     * element all the time. A round that believed it would skip changes that concern somebody.
     */
    private final AtomicInteger pickies = new AtomicInteger();

    void enter(Sleeper sleeper, Interest interest) {
        if (interest.equals(EVERYTHING)) {
            everybody.add(sleeper);
            return;
        }
        pickies.incrementAndGet();
        picky.compute(
                interest,
                (_, room) -> {
                    Set<Sleeper> sleepers = room == null ? ConcurrentHashMap.newKeySet() : room;
                    sleepers.add(sleeper);
                    return sleepers;
                });
    }

    void leave(Sleeper sleeper, Interest interest) {
        if (interest.equals(EVERYTHING)) {
            everybody.remove(sleeper);
            return;
        }
        picky.computeIfPresent(
                interest,
                (_, room) -> {
                    room.remove(sleeper);
                    return room.isEmpty() ? null : room;
                });
        pickies.decrementAndGet();
    }

    /** Whether anybody waits for something in particular. */
    boolean hasPicky() {
        return pickies.get() > 0;
    }

    /** Wakes those who wait for everything, because of what happened after a cursor. */
    void wakeUnpicky(Cursor after) {
        everybody.forEach(sleeper -> sleeper.ring(after));
    }

    /** Wakes those who wait for this in particular. */
    void wake(Interest interest, Cursor after) {
        Set<Sleeper> room = picky.get(interest);
        if (room != null) {
            room.forEach(sleeper -> sleeper.ring(after));
        }
    }

    /** Wakes everybody. */
    void wakeAll(Cursor after) {
        wakeUnpicky(after);
        picky.values().forEach(room -> room.forEach(sleeper -> sleeper.ring(after)));
    }
}
