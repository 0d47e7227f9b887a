package io.kubemirror.history;

import module java.base;

/**
 * How slow a replica and the machine were: the time that a replica took to answer a request that
 * asks for nothing but its own metrics. Limits are extended by it, so that a busy machine breaks no
 * promise.
 */
final class Delays {

    /** How long before an operation a delay may have begun what it shows. */
    private static final long BEFORE = Duration.ofSeconds(20).toNanos();

    private final Map<String, List<Sample>> samples = new HashMap<>();

    Delays(History history) {
        for (Sample sample : history.samples()) {
            if (sample.resource().equals(StoredType.CACHED.plural())) {
                samples.computeIfAbsent(sample.replica(), _ -> new ArrayList<>()).add(sample);
            }
        }
    }

    /** The greatest delay of a replica near two times, in nanoseconds. */
    long near(String replica, long from, long until) {
        long greatest = 0;
        for (String one : replica.split(",", -1)) {
            for (Sample sample : samples.getOrDefault(one, List.of())) {
                if (sample.until() > from - BEFORE && sample.from() < until) {
                    greatest = Math.max(greatest, sample.until() - sample.from());
                }
            }
        }
        return greatest;
    }

    /** The greatest delay near an operation, in nanoseconds. */
    long near(Operation operation) {
        return near(operation.replica(), operation.called(), operation.returned());
    }
}
