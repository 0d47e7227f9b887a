package io.kubemirror.pairs;

import module java.base;

import io.kubemirror.pairs.Row.Pair;

/**
 * Rows in which every pair of values occurs that some valid row has.
 *
 * <p>Each row begins with the first pair that is missing. Every other factor then gets the value
 * that covers most of the missing pairs, if the row can still be completed. There is no randomness,
 * so a row keeps its number until the factors change.
 */
final class CoveringArray {

    private final Predicate<Row> permits;
    private final Set<Pair> pairs = new LinkedHashSet<>();
    private final List<Row> rows = new ArrayList<>();

    /**
     * Creates the rows.
     *
     * @param permits whether nothing is wrong with the choices of a row so far
     */
    CoveringArray(Predicate<Row> permits) {
        this.permits = permits;
        collectPairs();
        Set<Pair> missing = new LinkedHashSet<>(pairs);
        while (!missing.isEmpty()) {
            Row row = row(missing);
            missing.removeIf(row::covers);
            rows.add(row);
        }
    }

    List<Row> rows() {
        return List.copyOf(rows);
    }

    /** The pairs that are possible. */
    Set<Pair> pairs() {
        return Set.copyOf(pairs);
    }

    private void collectPairs() {
        Factor[] all = Factor.values();
        for (int i = 0; i < all.length; i++) {
            for (int j = i + 1; j < all.length; j++) {
                for (String value : all[i].choices()) {
                    for (String other : all[j].choices()) {
                        Pair pair = new Pair(all[i], value, all[j], other);
                        if (completed(pair.row()).isPresent()) {
                            pairs.add(pair);
                        }
                    }
                }
            }
        }
    }

    private Row row(Set<Pair> missing) {
        Row row = missing.iterator().next().row();
        for (Factor factor : Factor.values()) {
            if (!row.has(factor)) {
                Row before = row;
                row =
                        factor.choices().stream()
                                .map(value -> before.with(factor, value))
                                .filter(candidate -> completed(candidate).isPresent())
                                .max(Comparator.comparingLong(one -> gain(one, missing)))
                                .orElseThrow();
            }
        }
        return row;
    }

    private static long gain(Row row, Set<Pair> missing) {
        return missing.stream().filter(row::covers).count();
    }

    /** A valid row that has these choices, if there is one. */
    private Optional<Row> completed(Row row) {
        if (!permits.test(row)) {
            return Optional.empty();
        }
        for (Factor factor : Factor.values()) {
            if (!row.has(factor)) {
                return factor.choices().stream()
                        .flatMap(value -> completed(row.with(factor, value)).stream())
                        .findFirst();
            }
        }
        return Optional.of(row);
    }
}
