package io.kubemirror.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ranges of revisions in which a replica listed in place of watching, so that its clients were
 * not told of each change (list-watch.md#resync). They are at least as wide as they were.
 */
final class Bridges {

    /**
     * A range of revisions.
     *
     * @param after the revision before it
     * @param last its last revision
     */
    private record Bridge(long after, long last) {}

    private final Map<String, List<Bridge>> bridges = new HashMap<>();

    /** A list is counted after it is visible, so the range begins one sample earlier. */
    Bridges(History history, Floors floors) {
        Map<String, List<Sample>> samples = new HashMap<>();
        for (Sample sample : history.samples()) {
            String of = sample.replica() + "/" + sample.resource();
            List<Sample> before = samples.computeIfAbsent(of, _ -> new ArrayList<>());
            boolean first = before.isEmpty() || before.getLast().life() != sample.life();
            long known = first ? 0 : before.getLast().resyncs();
            if (sample.resyncs() > known) {
                long asked = before.size() < 2 ? 0 : before.get(before.size() - 2).from();
                long from = floors.before(of, asked).revision();
                long to = history.truth(sample.resource()).revisionAt(sample.until());
                bridges.computeIfAbsent(of, _ -> new ArrayList<>()).add(new Bridge(from, to));
            }
            before.add(sample);
        }
    }

    /** Whether one of the replicas of an operation may not have told its clients of a revision. */
    boolean cover(Operation operation, long revision) {
        for (String replica : operation.replica().split(",", -1)) {
            String of = replica + "/" + operation.resource();
            for (Bridge bridge : bridges.getOrDefault(of, List.of())) {
                if (revision > bridge.after() && revision <= bridge.last()) {
                    return true;
                }
            }
        }
        return false;
    }

    int size() {
        return bridges.values().stream().mapToInt(List::size).sum();
    }
}
