package io.kubemirror.mirror;

import io.kubemirror.model.KubeObject;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Estimates from a sample how many objects of a collection each interest includes.
 *
 * <p>The sample is evenly spread over the collection, and taken when a selection has a choice. It
 * is taken again after some thousand changes, or when the collection has doubled. An old one costs
 * time, never a wrong result.
 *
 * <p>Rejected: counts that are kept up to date, which cost memory and time with every change; and
 * the order of the alphabet.
 *
 * <p>Safe for use by any thread.
 */
final class Selectivity {

    /** Values of less than this fraction of all objects cannot be distinguished. */
    private static final int SIZE = 256;

    /** Immutable; null until it is needed. Threads that take it at once get equal ones. */
    private volatile @Nullable Sample sample;

    /**
     * The interests of the objects in a sample.
     *
     * @param collection the number of objects in the collection
     * @param frequent the number of objects that each interest includes, if there are several
     */
    private record Sample(int collection, Map<Interest, Integer> frequent) {

        static Sample of(Collection<KubeObject> objects) {
            int step = Math.max(1, objects.size() / SIZE);
            Map<Interest, Integer> counts = new HashMap<>();
            int position = 0;
            for (KubeObject object : objects) {
                if (position++ % step == 0) {
                    Set<Interest> interests = new HashSet<>();
                    Interest.add(object, interests);
                    interests.forEach(interest -> counts.merge(interest, 1, Integer::sum));
                }
            }
            counts.values().removeIf(count -> count == 1);
            return new Sample(objects.size(), Map.copyOf(counts));
        }

        boolean isFor(Collection<KubeObject> objects) {
            return objects.size() / 2 <= collection;
        }

        int count(Interest interest) {
            return interest.singles().stream()
                    .mapToInt(single -> frequent.getOrDefault(single, 0))
                    .sum();
        }
    }

    /**
     * Returns the candidate that includes the fewest objects, the first of several.
     *
     * @param objects the present objects
     */
    Interest narrowest(List<Interest> candidates, Collection<KubeObject> objects) {
        if (candidates.size() == 1) {
            return candidates.getFirst();
        }
        Sample present = sample;
        Sample known = present == null || !present.isFor(objects) ? take(objects) : present;
        return candidates.stream().min(Comparator.comparingInt(known::count)).orElseThrow();
    }

    private Sample take(Collection<KubeObject> objects) {
        Sample taken = Sample.of(objects);
        sample = taken;
        return taken;
    }

    /** Discards the sample, because the collection has changed. */
    void reset() {
        sample = null;
    }
}
