package io.kubemirror.mirror;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What lists of a collection are selected by, so that the right indexes are kept up and no others.
 *
 * <p>Rejected: indexes that are configured. Nobody knows beforehand what clients will ask for, and
 * a wrong guess costs with every change. For any thread.
 */
final class IndexUsage {

    /** So many are kept up at most; each costs a change about as much as the store itself. */
    private static final int MOST = 8;

    /** Asked for once may be by chance. */
    private static final int ENOUGH = 2;

    /** Asked for so often, it is remembered for ten times {@link #decay}. */
    private static final int CERTAIN = 1 << 10;

    /** Counts rise in one step each; what is new comes in under the lock of this, see below. */
    private final Map<Dimension, Integer> asked = new ConcurrentHashMap<>();

    /** A list is selected by something. */
    void record(Dimension dimension) {
        Integer times = asked.get(dimension);
        if (times == null) {
            begin(dimension);
        } else if (times < CERTAIN) {
            asked.merge(dimension, 1, Integer::sum);
        }
    }

    /** One at a time, or many that ask at once would all find room for one more. */
    private synchronized void begin(Dimension dimension) {
        if (asked.containsKey(dimension) || asked.size() < MOST) {
            asked.merge(dimension, 1, Integer::sum);
        }
    }

    /** Whether an index is worth its cost. */
    boolean isWorthwhile(Dimension dimension) {
        return asked.getOrDefault(dimension, 0) >= ENOUGH;
    }

    /** What an index is worth its cost of. */
    Collection<Dimension> worthwhile() {
        return asked.isEmpty()
                ? Set.of()
                : asked.keySet().stream().filter(this::isWorthwhile).collect(Collectors.toSet());
    }

    /** Forgets a little, and in time all that is not asked for any more. */
    void decay() {
        asked.replaceAll((_, times) -> times / 2);
        asked.values().removeIf(times -> times == 0);
    }
}
