package io.kubemirror.load;

import module java.base;

/**
 * What the demands of a row are about, and whether they are met, by round.
 *
 * @param figures of each demand that has one, by round
 * @param met whether a round meets all demands; empty if there is none
 */
record Judged(List<List<Double>> figures, List<Boolean> met) {

    static final Judged NOTHING = new Judged(List.of(), List.of());

    static <T> Judged atMost(double limit, List<T> rounds, ToDoubleFunction<T> figure) {
        List<Double> figures = rounds.stream().map(figure::applyAsDouble).toList();
        return new Judged(List.of(figures), figures.stream().map(each -> each <= limit).toList());
    }

    static Judged atMost(double limit, List<Double> figures) {
        return atMost(limit, figures, each -> each);
    }

    static Judged atLeast(double limit, List<Double> figures) {
        return new Judged(List.of(figures), figures.stream().map(each -> each >= limit).toList());
    }

    /** A demand without a figure. */
    static <T> Judged holds(List<T> rounds, Predicate<T> demand) {
        return new Judged(List.of(), rounds.stream().map(demand::test).toList());
    }

    /** Each round over the same round of a reference. */
    static <T> List<Double> ratios(
            List<T> measured, List<T> reference, ToDoubleFunction<T> figure) {
        return IntStream.range(0, measured.size())
                .mapToObj(
                        i ->
                                figure.applyAsDouble(measured.get(i))
                                        / figure.applyAsDouble(reference.get(i)))
                .toList();
    }

    /** Both demands, on the same rounds. */
    Judged and(Judged other) {
        return new Judged(
                Stream.concat(figures.stream(), other.figures.stream()).toList(),
                IntStream.range(0, met.size())
                        .mapToObj(i -> met.get(i) && other.met.get(i))
                        .toList());
    }

    boolean isMissed() {
        return met.contains(false);
    }

    /** The number of rounds, and the least and the most of each figure. */
    String rounds() {
        return met.isEmpty()
                ? ""
                : met.size()
                        + figures.stream()
                                .map(Judged::interval)
                                .collect(
                                        Collectors.joining(
                                                "; ", figures.isEmpty() ? "" : ": ", ""));
    }

    String answer() {
        int count = Collections.frequency(met, true);
        return met.isEmpty()
                ? ""
                : count == met.size()
                        ? "yes"
                        : count == 0 ? "**no**" : "in %d of %d".formatted(count, met.size());
    }

    private static String interval(List<Double> figures) {
        String least = text(Collections.min(figures));
        String most = text(Collections.max(figures));
        return least.equals(most) ? least : least + " to " + most;
    }

    private static String text(double figure) {
        int digits = Math.abs(figure) >= 100 ? 0 : Math.abs(figure) >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%,." + digits + "f", figure);
    }
}
