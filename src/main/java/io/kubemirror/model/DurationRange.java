package io.kubemirror.model;

import module java.base;

/**
 * A range of durations, from which each use draws one at random, so that many requests that begin
 * together do not end together.
 *
 * @param shortest the shortest duration, positive
 * @param longest the longest duration, not below the shortest
 */
public record DurationRange(Duration shortest, Duration longest) {

    /**
     * Validates the bounds.
     *
     * @throws IllegalArgumentException if the shortest duration is not positive or above the
     *     longest
     */
    public DurationRange {
        if (!shortest.isPositive() || longest.compareTo(shortest) < 0) {
            throw new IllegalArgumentException(
                    "a range of durations needs 0 < shortest <= longest");
        }
    }

    /** Returns a random duration of the range. */
    public Duration draw(RandomGenerator random) {
        return shortest.plusNanos(random.nextLong(longest.minus(shortest).toNanos() + 1));
    }
}
