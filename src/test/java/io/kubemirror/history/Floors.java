package io.kubemirror.history;

import module java.base;

/** The greatest revisions that had been seen at a time, by what they were seen of. */
final class Floors {

    /**
     * A revision that was seen.
     *
     * @param at when
     * @param revision the revision
     * @param by the operation
     */
    record Seen(long at, long revision, Operation by) {}

    private static final Operation NOBODY =
            new Operation(
                    0,
                    "nobody",
                    "",
                    -1,
                    "",
                    Selected.ALL,
                    Operation.Act.GET,
                    Operation.Mode.ANY,
                    0,
                    0,
                    "",
                    0,
                    0,
                    Operation.Answer.LOST);

    private static final Seen NOTHING = new Seen(0, 0, NOBODY);

    private final Map<String, List<Seen>> seen = new HashMap<>();
    private boolean sorted;

    void add(String of, long at, long revision, Operation by) {
        seen.computeIfAbsent(of, _ -> new ArrayList<>()).add(new Seen(at, revision, by));
        sorted = false;
    }

    /** Returns what had the greatest revision before a time. */
    Seen before(String of, long time) {
        if (!sorted) {
            seen.values().forEach(Floors::accumulate);
            sorted = true;
        }
        List<Seen> list = seen.getOrDefault(of, List.of());
        int low = 0;
        int high = list.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (list.get(middle).at() < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? NOTHING : list.get(low - 1);
    }

    /** Replaces each element by the greatest up to it, at its own time. */
    private static void accumulate(List<Seen> list) {
        list.sort(Comparator.comparingLong(Seen::at));
        Seen greatest = NOTHING;
        for (int i = 0; i < list.size(); i++) {
            Seen one = list.get(i);
            greatest = one.revision() > greatest.revision() ? one : greatest;
            list.set(i, new Seen(one.at(), greatest.revision(), greatest.by()));
        }
    }
}
