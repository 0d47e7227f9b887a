package io.kubemirror.load;

import module java.base;

/**
 * How many mirrors synchronized at the same time.
 *
 * @param begun when each list, or watch that begins with the present state, was sent, in
 *     nanoseconds since the start; with those that were refused
 * @param synced when each mirror was complete
 * @param cpu processor time of the API server
 */
record FleetStart(List<Long> begun, List<Long> synced, Duration cpu) {

    /** Sorts the times. */
    FleetStart {
        begun = begun.stream().sorted().toList();
        synced = synced.stream().sorted().toList();
    }

    int lists() {
        return begun.size();
    }

    /** The most lists that were begun within any second. */
    int perSecond() {
        int most = 0;
        int first = 0;
        for (int i = 0; i < begun.size(); i++) {
            while (begun.get(i) - begun.get(first) >= 1_000_000_000L) {
                first++;
            }
            most = Math.max(most, i - first + 1);
        }
        return most;
    }

    /** The most lists that had begun without being complete. */
    int atOnce() {
        int most = 0;
        int ended = 0;
        for (int i = 0; i < begun.size(); i++) {
            while (ended < synced.size() && synced.get(ended) <= begun.get(i)) {
                ended++;
            }
            most = Math.max(most, i + 1 - ended);
        }
        return most;
    }

    /** Until the last mirror was complete. */
    double seconds() {
        return synced.getLast() / 1e9;
    }

    @Override
    public String toString() {
        return "%d lists, at most %d/s and %d at once, all synchronized after %.2f s, CPU of the API server %.1f s"
                .formatted(lists(), perSecond(), atOnce(), seconds(), cpu.toMillis() / 1e3);
    }
}
