package io.kubemirror.mirror;

import io.kubemirror.mirror.Indexes.Dimension;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Counts the labels and fields that lists select by, to decide which indexes are maintained.
 *
 * <p>Rejected: configured indexes. What clients will select by is not known in advance, and a wrong
 * guess costs with every change.
 *
 * <p>Safe for use by any thread.
 */
final class IndexUsage {

    /**
     * Maximum number of maintained indexes. Each costs about as much per change as the store
     * itself.
     */
    private static final int MAX = 8;

    /** Number of requests after which an index is built. A single request may be a coincidence. */
    private static final int ENOUGH = 2;

    /**
     * Upper limit of a count. A dimension at this limit is remembered for ten times {@link #decay}.
     */
    private static final int CERTAIN = 1 << 10;

    /**
     * Counts are incremented atomically. New keys are added under the lock of this object, see
     * below.
     */
    private final Map<Dimension, Integer> asked = new ConcurrentHashMap<>();

    /** Records that a list selects by a dimension. */
    void record(Dimension dimension) {
        Integer times = asked.get(dimension);
        if (times == null) {
            begin(dimension);
        } else if (times < CERTAIN) {
            asked.merge(dimension, 1, Integer::sum);
        }
    }

    /**
     * Synchronized, because concurrent callers would otherwise each find room for one more entry.
     */
    private synchronized void begin(Dimension dimension) {
        if (asked.containsKey(dimension) || asked.size() < MAX) {
            asked.merge(dimension, 1, Integer::sum);
        }
    }

    /** Returns whether an index pays for its maintenance. */
    boolean isWorthwhile(Dimension dimension) {
        return asked.getOrDefault(dimension, 0) >= ENOUGH;
    }

    /** Returns the dimensions whose indexes pay for their maintenance. */
    Collection<Dimension> worthwhile() {
        return asked.isEmpty()
                ? Set.of()
                : asked.keySet().stream().filter(this::isWorthwhile).collect(Collectors.toSet());
    }

    /**
     * Decreases all counts, so that dimensions that are not requested any more are removed in time.
     */
    void decay() {
        asked.replaceAll((_, times) -> times / 2);
        asked.values().removeIf(times -> times == 0);
    }
}
