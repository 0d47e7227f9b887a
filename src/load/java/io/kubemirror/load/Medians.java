package io.kubemirror.load;

import module java.base;

/** Medians over the rounds of a measurement. */
final class Medians {

    private Medians() {}

    static <T> double of(List<T> rounds, ToDoubleFunction<T> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
