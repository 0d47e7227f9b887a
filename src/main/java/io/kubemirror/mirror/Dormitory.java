package io.kubemirror.mirror;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who sleeps here, or is awake between two sleeps, by what they wait for.
 *
 * <p>Most readers wait for everything, so those have a set of their own which is never removed; the
 * others' sets go with the last who sleeps in them.
 */
final class Dormitory {

    private static final Interest EVERYTHING = new Interest.Everything();

    private final Set<Sleeper> everybody = ConcurrentHashMap.newKeySet();
    private final Map<Interest, Set<Sleeper>> picky = new ConcurrentHashMap<>();

    void enter(Sleeper sleeper, Interest interest) {
        if (interest.equals(EVERYTHING)) {
            everybody.add(sleeper);
            return;
        }
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
    }

    /** Whether anybody waits for something in particular. */
    boolean hasPicky() {
        return !picky.isEmpty();
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
